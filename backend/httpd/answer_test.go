package httpd

import (
	"errors"
	"testing"

	"signalbox/backend/fault"
	"signalbox/backend/httpd/socket"
)

func TestAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		code   fault.Code
		status int
		close  socket.Code
	}{
		{fault.Invalid, 400, 4503},
		{fault.NotFound, 404, 4502},
		{fault.Conflict, 409, 4000},
		{fault.StaleEpoch, 409, 4000},
		{fault.Busy, 409, 4000},
		{fault.Unauthorized, 401, 4500},
		{fault.Forbidden, 403, 4501},
		{fault.TooLarge, 413, 4503},
		{fault.RateLimited, 429, 4000},
		{fault.Unavailable, 503, 4000},
		{fault.Canceled, 499, 4000},
		{fault.Internal, 500, 4000},
	}
	for _, tt := range tests {
		err := fault.New(tt.code, "What happened.").WithHint("What to do.").Because(errors.New("secret"))
		p := problemOf(err)
		if p.Status != tt.status || p.Code != tt.code || p.Detail != "What happened." || p.Hint != "What to do." || p.Title == "" {
			t.Errorf("%s is answered as %+v", tt.code, p)
		}
		end, ok := errors.AsType[*socket.Close](closeOf(err))
		if !ok || end.Code != tt.close || end.Reason != "What happened." {
			t.Errorf("%s closes with %v", tt.code, end)
		}
	}
	if len(tests) != len(answers) {
		t.Errorf("%d codes are tested, %d have an answer", len(tests), len(answers))
	}
}

func TestAnswers_anErrorWithoutACode_tellsNothing(t *testing.T) {
	t.Parallel()
	for _, err := range []error{errors.New("secret"), fault.New("strange", "secret")} {
		if p := problemOf(err); p.Status != 500 || p.Code != fault.Internal || p.Detail == "secret" {
			t.Errorf("answered as %+v", p)
		}
		if f := faultOf(err); f.Code != "internal" || f.Message == "secret" {
			t.Errorf("told as %+v", f)
		}
	}
}
