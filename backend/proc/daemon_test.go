package proc_test

func daemon([]string) {}
