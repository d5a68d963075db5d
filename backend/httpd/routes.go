package httpd

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"signalbox/backend/access"
	"signalbox/backend/chat"
)

// The operations whose body may be large.
const (
	sendPrompt   = "send-prompt"
	changeQueued = "change-queued"
	keepDraft    = "keep-draft"
)

func largeText(operation string) bool {
	return operation == sendPrompt || operation == changeQueued || operation == keepDraft
}

// maxPromptBody has room for the longest prompt with every character escaped.
const maxPromptBody = 6*chat.MaxText + maxBody

// routes registers every route with the rule that guards it.
func (s *Server) routes() {
	var (
		home   = may(access.Read, access.Workspace)
		create = may(access.Create, access.Workspace)
		read   = may(access.Read, access.Loose)
		change = may(access.Change, access.Loose)
		send   = may(access.Send, access.Loose)
		cancel = may(access.Cancel, access.Loose)
		answer = may(access.Answer, access.Loose)
		rewind = may(access.Rewind, access.Loose)
		trash  = may(access.Delete, access.Loose)
	)
	handle(s, open, op("health", http.MethodGet, "/api/health", "Whether the daemon is up"), s.health)
	// Those who watch the daemon from outside often ask for the head alone.
	head := op("health-head", http.MethodHead, "/api/health", "Whether the daemon is up, without a body")
	head.Responses = map[string]*huma.Response{"200": {Description: "It is up"}}
	s.raw(open, head, func(c echo.Context) error { return c.NoContent(http.StatusOK) })
	handle(s, open, op("get-setup", http.MethodGet, "/api/setup", "Whether the first account is still to be made"), s.setupState)
	handle(s, open, op("set-up", http.MethodPost, "/api/setup", "Make the first account"), s.setUp)
	handle(s, open, op("sign-in", http.MethodPost, "/api/login", "Sign in"), s.signIn)
	handle(s, home, op("sign-out", http.MethodPost, "/api/logout", "Sign out"), s.signOut)
	handle(s, home, op("me", http.MethodGet, "/api/me", "Who is signed in"), s.me)

	handle(s, home, op("get-settings", http.MethodGet, "/api/me/settings", "What the person chose for themselves"), s.getSettings)
	handle(s, home, op("change-settings", http.MethodPatch, "/api/me/settings", "Change what the person chose for themselves"), s.changeSettings)

	s.accountRoutes()

	handle(s, home, op("list-agents", http.MethodGet, "/api/agents", "The agents and whether they can run"), s.listAgents)
	handle(s, home, op("check-agents", http.MethodPost, "/api/agents/check", "Look again whether the agents can run"), s.checkAgents)
	handle(s, create, op("list-skills", http.MethodGet, "/api/skills", "The skills that an agent finds on the daemon's machine"), s.listSkills)
	handle(s, home, op("list-chats", http.MethodGet, "/api/chats", "The chats, newest activity first"), s.listChats)
	handle(s, create, op("create-chat", http.MethodPost, "/api/chats", "Make a chat"), s.createChat)
	handle(s, read, op("get-chat", http.MethodGet, "/api/chats/{id}", "One chat"), s.getChat)
	handle(s, change, op("change-chat", http.MethodPatch, "/api/chats/{id}", "Rename a chat, choose its agent, archive or pin it"), s.changeChat)
	handle(s, read, op("read-chat", http.MethodPost, "/api/chats/{id}/read", "Mark a chat as read"), s.readChat)
	handle(s, read, op("unread-chat", http.MethodPost, "/api/chats/{id}/unread", "Mark a chat as not read"), s.unreadChat)
	handle(s, trash, op("delete-chat", http.MethodDelete, "/api/chats/{id}", "Stop a chat's run and put the chat into the trash"), s.trashChat)
	handle(s, read, op("list-prompts", http.MethodGet, "/api/chats/{id}/prompts", "A chat's prompts, its forks, and what rewinds took out of it"), s.listPrompts)
	handle(s, read, op("list-rewound", http.MethodGet, "/api/chats/{id}/rewound/{epoch}", "A page of what a rewind took out of a chat, forward from an event"), s.listRewound)
	handle(s, rewind, op("rewind-chat", http.MethodPost, "/api/chats/{id}/rewind", "Take a prompt and all that follows out of a chat"), s.rewindChat)
	handle(s, rewind, op("restore-chat", http.MethodPost, "/api/chats/{id}/restore", "Bring back what the last rewind took out"), s.restoreChat)
	handle(s, create, op("fork-chat", http.MethodPost, "/api/chats/{id}/fork", "Make a new chat of what a chat holds"), s.forkChat)
	handle(s, home, op("list-trash", http.MethodGet, "/api/trash", "The deleted chats, deleted last first"), s.listTrash)
	handle(s, trash, op("restore-deleted-chat", http.MethodPost, "/api/trash/{id}/restore", "Take a chat out of the trash"), s.untrashChat)
	handle(s, trash, op("purge-chat", http.MethodDelete, "/api/trash/{id}", "Delete a chat for good"), s.purgeChat)
	handle(s, read, op("list-events", http.MethodGet, "/api/chats/{id}/events", "A page of a chat's events, back from a position"), s.listEvents)
	handle(s, read, op("list-calls", http.MethodGet, "/api/chats/{id}/calls", "What calls of some tools did in a chat, back from a position"), s.listCalls)
	handle(s, cancel, op("cancel-run", http.MethodPost, "/api/chats/{id}/cancel", "Stop a run"), s.cancelRun)
	handle(s, read, op("get-queue", http.MethodGet, "/api/chats/{id}/queue", "The prompts that wait"), s.getQueue)
	patch := op(changeQueued, http.MethodPatch, "/api/chats/{id}/queue/{clientId}", "Change a prompt that waits")
	patch.MaxBodyBytes = maxPromptBody
	handle(s, send, patch, s.changeQueued)
	handle(s, send, op("remove-queued", http.MethodDelete, "/api/chats/{id}/queue/{clientId}", "Take a prompt out of the queue"), s.removeQueued)
	handle(s, send, op("resume-queue", http.MethodPost, "/api/chats/{id}/queue/resume", "Make a paused queue move on"), s.resumeQueue)
	handle(s, send, op("continue-run", http.MethodPost, "/api/chats/{id}/continue", "Go on with a run that did not end well"), s.continueRun)
	handle(s, send, op("get-draft", http.MethodGet, "/api/chats/{id}/draft", "What the person has written and not sent"), s.getDraft)
	keep := op(keepDraft, http.MethodPut, "/api/chats/{id}/draft", "Keep what the person has written and not sent")
	keep.MaxBodyBytes = maxPromptBody
	handle(s, send, keep, s.putDraft)
	handle(s, send, op("list-chat-skills", http.MethodGet, "/api/chats/{id}/skills", "The skills that an agent finds in a chat: on the daemon's machine and in the chat's working directory"), s.listChatSkills)
	handle(s, send, op("find-files", http.MethodGet, "/api/chats/{id}/files", "The files of a chat's working directory by parts of their names"), s.findFiles)
	handle(s, answer, op("answer", http.MethodPost, "/api/chats/{id}/answer", "Answer what an agent asks"), s.postAnswer)
	handle(s, read, op("list-rules", http.MethodGet, "/api/chats/{id}/rules", "What people allowed for a chat"), s.listRules)
	handle(s, change, op("revoke-rule", http.MethodDelete, "/api/chats/{id}/rules/{rule}", "Revoke what was allowed for a chat"), s.revokeRule)

	s.indexRoutes()

	prompt := op(sendPrompt, http.MethodPost, "/api/chats/{id}/messages", "Send a prompt")
	prompt.Description = "With \"Accept: text/event-stream\" the answer is what happens in the chat, until the prompt's run has ended and its lock is free."
	prompt.MaxBodyBytes = maxPromptBody
	prompt.Responses = map[string]*huma.Response{
		"200":     streamAnswer("The events of the run"),
		"202":     jsonAnswer("Accepted", "PromptResult"),
		"default": problemAnswer(),
	}
	handle(s, send, prompt, s.postMessage)

	s.raw(send, attachOp(), s.attach)

	stream := op("stream-chat", http.MethodGet, "/api/chats/{id}/stream", "The chat as server-sent events")
	stream.Description = "The same messages as the socket sends. Each event's id is its position; Last-Event-ID wins over since."
	stream.Parameters = []*huma.Param{
		pathParam("id"), queryParam("since", "The position after which to begin, as epoch:seq."),
		{Name: "Last-Event-ID", In: "header", Schema: &huma.Schema{Type: huma.TypeString}},
	}
	stream.Responses = map[string]*huma.Response{"200": streamAnswer("Frames and events")}
	s.raw(read, stream, s.streamChat)

	blob := op("get-blob", http.MethodGet, "/api/chats/{id}/blobs/{sha256}", "A large body that an event refers to")
	blob.Parameters = []*huma.Param{pathParam("id"), pathParam("sha256")}
	blob.Responses = map[string]*huma.Response{"200": {
		Description: "The bytes; ranges are served",
		Content:     map[string]*huma.MediaType{blobType: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}},
	}}
	s.raw(read, blob, s.getBlob)

	sock := socketOp("chat-socket", "/ws/chat/{id}", "Follow a chat and send commands")
	sock.Parameters = []*huma.Param{pathParam("id"), queryParam("since", "The position after which to begin, as epoch:seq.")}
	s.raw(upgrade(read), sock, s.chatSocket)
	s.raw(upgrade(home), socketOp("workspace-socket", "/ws/workspace", "Follow the list of chats"), s.workspaceSocket)

	for _, method := range []string{http.MethodGet, http.MethodHead} {
		s.rules[routeKey(method, "/*")] = open
		s.echo.Add(method, "/*", s.ui.serve)
	}
}

func op(id, method, path, summary string) huma.Operation {
	return huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary}
}

func socketOp(id, path, summary string) huma.Operation {
	o := op(id, http.MethodGet, path, summary)
	o.Description = "An upgrade to a WebSocket. Messages are of the schema ServerMessage, one or more a frame, one a line; " +
		"commands are of the schema Command, one a frame."
	o.Responses = map[string]*huma.Response{"101": {Description: "Switching Protocols"}}
	return o
}

func upgrade(r rule) rule {
	r.socket = true
	return r
}

func pathParam(name string) *huma.Param {
	return &huma.Param{Name: name, In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}}
}

func queryParam(name, doc string) *huma.Param {
	return &huma.Param{Name: name, In: "query", Description: doc, Schema: &huma.Schema{Type: huma.TypeString}}
}

func ref(name string) *huma.Schema { return &huma.Schema{Ref: "#/components/schemas/" + name} }

func jsonAnswer(doc, schema string) *huma.Response {
	return &huma.Response{Description: doc, Content: map[string]*huma.MediaType{"application/json": {Schema: ref(schema)}}}
}

func streamAnswer(doc string) *huma.Response {
	return &huma.Response{Description: doc, Content: map[string]*huma.MediaType{"text/event-stream": {Schema: ref("ServerMessage")}}}
}

func problemAnswer() *huma.Response {
	return &huma.Response{Description: "Error", Content: map[string]*huma.MediaType{"application/problem+json": {Schema: ref("Problem")}}}
}
