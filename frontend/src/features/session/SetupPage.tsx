import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { setUp } from "../../api/calls";
import { ApiError } from "../../api/http";
import { meQuery, setupQuery } from "../../api/queries";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { Ticked } from "../../ui/Ticked";
import { Frame } from "./Frame";
import { setupOutcome } from "./session.logic";

/** Makes the first account with the link that the daemon printed. */
export function SetupPage() {
  const token = location.hash.slice(1);
  const state = useQuery(setupQuery);
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const make = useMutation({
    mutationFn: () => setUp({ token, name: name.trim(), password }),
    onSuccess: async () => {
      await client.resetQueries(meQuery);
      await navigate({ to: "/" });
    },
  });
  const outcome = setupOutcome(state.data?.open, token, make.error);
  if (outcome === "loading") return null;
  if (outcome === "used") {
    return (
      <Frame title={t("setup.used.title")} body={t("setup.used.body")}>
        <p className="mt-5">
          <Link
            to="/login"
            className="target inline-flex items-center text-ui font-medium text-accent underline"
          >
            {t("signin.act")}
          </Link>
        </p>
      </Frame>
    );
  }
  if (outcome === "none" || outcome === "expired") {
    return (
      <Frame
        title={t(outcome === "none" ? "setup.none.title" : "setup.expired.title")}
        body={<Ticked text={t(outcome === "none" ? "setup.none.body" : "setup.expired.body")} />}
      />
    );
  }
  const error = make.error instanceof ApiError ? make.error.fault : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Frame title={t("setup.title")} body={t("setup.body")}>
      <form className="mt-5 flex flex-col gap-4" onSubmit={submit}>
        <Field
          label={t("name")}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          // One thing is to be done on this page, and it begins here.
          autoFocus
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Field
          label={t("password")}
          type="password"
          autoComplete="new-password"
          required
          hint={t("password.hint")}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {make.error === null ? null : (
          <p role="alert" className="text-small text-stop">
            {error === null || error.message === ""
              ? t("noanswer")
              : [error.message, error.hint ?? ""].join(" ")}
          </p>
        )}
        <Button look="primary" type="submit" disabled={make.isPending}>
          {t("setup.act")}
        </Button>
      </form>
    </Frame>
  );
}
