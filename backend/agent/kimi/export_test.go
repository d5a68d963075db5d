package kimi

import (
	"signalbox/backend/agent"
	"signalbox/backend/agent/dialog"
)

// Translator returns a translator for req, and the program it speaks for.
func (p *Provider) Translator(req agent.Request) (dialog.Translator, dialog.Program) {
	return newTranslator(p.program, p.home, req), p.program
}

var (
	Form    = form
	InWords = inWords
)
