package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	"signalbox/backend/eventlog"
	"signalbox/backend/httpd/contract"
)

func main() {
	r := contract.NewRegistry()
	for _, v := range []any{contract.Health{}, contract.SetupState{}, contract.Setup{}, contract.Login{}, contract.Me{}, contract.AgentList{}, contract.ChatList{}, contract.NewChat{}, contract.ChatPatch{}, contract.Prompt{}, contract.Cancel{}, contract.Problem{}, eventlog.Page{}} {
		r.Schema(reflect.TypeOf(v), true, "")
	}
	b, err := json.MarshalIndent(map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": r.Map()}, "", "  ")
	if err != nil {
		panic(err)
	}
	fmt.Println(strings.ReplaceAll(string(b), "#/components/schemas/", "#/$defs/"))
	_ = os.Stdout
}
