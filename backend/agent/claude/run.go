package claude

import (
	"context"

	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
	"signalbox/backend/wire"
)

// Run gives Claude Code one prompt. See [agent.Provider].
//
// A session that the CLI no longer has is told in a notice, and the prompt goes
// to a new one.
func (p *Provider) Run(ctx context.Context, req agent.Request, host agent.Host) (agent.Result, error) {
	res, lost, err := p.attempt(ctx, req, host)
	if err != nil || !lost {
		return res, err
	}
	if err := host.Emit(dialog.Lost(p.program.Name, req)); err != nil {
		return agent.Result{}, err
	}
	res, _, err = p.attempt(ctx, dialog.Anew(req), host)
	return res, err
}

// attempt runs the prompt in one process. lost says that the session to resume
// is not there; nothing was emitted then.
func (p *Provider) attempt(ctx context.Context, req agent.Request, host agent.Host) (res agent.Result, lost bool, err error) {
	servers := ""
	if len(req.Servers) > 0 {
		if servers, err = dialog.WritePrivate(req.Private, serverFile, serverSettings(req.Servers)); err != nil {
			res, err = dialog.Fail(host, p.program.PrivateError(err))
			return res, false, err
		}
	}
	args, err := arguments(req, servers)
	if err != nil {
		res, err = dialog.Fail(host, wire.Error{
			Code: dialog.CodeBadChoice, Message: "The prompt was not given to Claude Code: " + err.Error() + ".",
			Hint: "Choose another model or effort.",
		})
		return res, false, err
	}
	tr := newTranslator(p.program, req)
	if tr.pictures, err = dialog.Pictures(req.Images); err != nil {
		res, err = dialog.Fail(host, p.program.PictureError(err))
		return res, false, err
	}
	talk := dialog.Talk{Program: p.program, Args: args, Request: req, Host: host, Log: p.log}
	res, err = talk.Run(ctx, tr)
	return res, tr.lost, err
}
