package claude

import (
	"encoding/json"
	"slices"

	"signalbox/backend/wire"
)

// todos is the to-do lists of a run. The newer tools (TaskCreate, TaskUpdate,
// TaskList) keep one list for the whole session, which subagents share; the
// older TodoWrite replaces the list of the agent that calls it.
type todos struct {
	tasks   []todoTask
	written map[string][]wire.TodoItem // by the subagent's tool call
}

type todoTask struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
	Status  string `json:"status"`
}

// apply takes the result of a call that succeeded and reports whether a list
// changed.
func (t *todos) apply(call *tool, detail json.RawMessage) bool {
	switch call.name {
	case "TodoWrite":
		return t.write(call)
	case "TaskCreate":
		var in todoTask
		var res struct {
			Task todoTask `json:"task"`
		}
		if json.Unmarshal(call.input, &in) != nil || json.Unmarshal(detail, &res) != nil || res.Task.ID == "" {
			return false
		}
		if res.Task.Subject == "" {
			res.Task.Subject = in.Subject
		}
		res.Task.Status = string(wire.TodoPending)
		t.put(res.Task)
		return true
	case "TaskUpdate":
		var in struct {
			TaskID  string `json:"taskId"`
			Subject string `json:"subject"`
			Status  string `json:"status"`
		}
		if json.Unmarshal(call.input, &in) != nil || in.TaskID == "" {
			return false
		}
		return t.update(todoTask{ID: in.TaskID, Subject: in.Subject, Status: in.Status})
	case "TaskList":
		var res struct {
			Tasks []todoTask `json:"tasks"`
		}
		if json.Unmarshal(detail, &res) != nil || slices.Equal(res.Tasks, t.tasks) {
			return false
		}
		t.tasks = res.Tasks
		return true
	default:
		return false
	}
}

func (t *todos) write(call *tool) bool {
	var in struct {
		Todos []struct {
			Content string `json:"content"`
			Status  string `json:"status"`
		} `json:"todos"`
	}
	if json.Unmarshal(call.input, &in) != nil {
		return false
	}
	items := make([]wire.TodoItem, 0, len(in.Todos))
	for _, todo := range in.Todos {
		items = append(items, wire.TodoItem{Text: todo.Content, Status: todoStatus(todo.Status)})
	}
	if t.written == nil {
		t.written = map[string][]wire.TodoItem{}
	}
	t.written[call.parent] = items
	return true
}

func (t *todos) put(task todoTask) {
	if i := t.index(task.ID); i >= 0 {
		t.tasks[i] = task
		return
	}
	t.tasks = append(t.tasks, task)
}

// update changes a task. One that this run has not seen comes from an earlier
// run of the session: its words are known only after the next TaskList.
func (t *todos) update(task todoTask) bool {
	i := t.index(task.ID)
	if task.Status == "deleted" {
		if i < 0 {
			return false
		}
		t.tasks = slices.Delete(t.tasks, i, i+1)
		return true
	}
	if i < 0 {
		if task.Subject == "" {
			task.Subject = "#" + task.ID
		}
		t.tasks = append(t.tasks, task)
		return true
	}
	old := t.tasks[i]
	if task.Subject != "" {
		t.tasks[i].Subject = task.Subject
	}
	if task.Status != "" {
		t.tasks[i].Status = task.Status
	}
	return t.tasks[i] != old
}

func (t *todos) index(id string) int {
	return slices.IndexFunc(t.tasks, func(task todoTask) bool { return task.ID == id })
}

// items returns the list that call changed.
func (t *todos) items(call *tool) []wire.TodoItem {
	if call.name == "TodoWrite" {
		return slices.Clone(t.written[call.parent])
	}
	items := make([]wire.TodoItem, 0, len(t.tasks))
	for _, task := range t.tasks {
		items = append(items, wire.TodoItem{Text: task.Subject, Status: todoStatus(task.Status)})
	}
	return items
}

// owner returns the subagent whose list call changed; "" for the session's.
func (t *todos) owner(call *tool) string {
	if call.name == "TodoWrite" {
		return call.parent
	}
	return ""
}

func todoStatus(s string) wire.TodoStatus {
	switch st := wire.TodoStatus(s); st {
	case wire.TodoInProgress, wire.TodoCompleted:
		return st
	default:
		return wire.TodoPending
	}
}
