import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { signIn } from "../../api/calls";
import { ApiError } from "../../api/http";
import { meQuery, setupQuery } from "../../api/queries";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { Ticked } from "../../ui/Ticked";
import { useNow } from "../../ui/useNow";
import { Frame } from "./Frame";
import { nextPath, signInWords } from "./session.logic";

/** Signs a person in and brings them back to where they were. */
export function LoginPage({ next, over }: { next?: string | undefined; over: boolean }) {
  const client = useQueryClient();
  const { history } = useRouter();
  const setup = useQuery(setupQuery);
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [until, setUntil] = useState(0);
  const now = useNow(1000);
  const enter = useMutation({
    mutationFn: () => signIn({ name: name.trim(), password }),
    onSuccess: async () => {
      await client.resetQueries(meQuery);
      // It may name a place on its page too.
      history.push(nextPath(next));
    },
    onError: (error) => {
      if (error instanceof ApiError && error.retryAfter !== null)
        setUntil(Date.now() + error.retryAfter * 1000);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    enter.mutate();
  };
  const words = signInWords(enter.error, until - now);
  if (setup.data?.open === true)
    return <Frame title={t("setup.none.title")} body={<Ticked text={t("setup.none.body")} />} />;
  return (
    <Frame title={t(over ? "over.title" : "signin.title")} body={t(over ? "over.body" : "signin.body")}>
      <form className="mt-5 flex flex-col gap-4" onSubmit={submit}>
        <Field
          label={t("name")}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          // One thing is to be done on this page, and it begins here.
          autoFocus
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Field
          label={t("password")}
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {words === "" ? null : (
          <p role="alert" className="text-small text-stop">
            {words}
          </p>
        )}
        <Button look="primary" type="submit" disabled={enter.isPending || until > now}>
          {t("signin.act")}
        </Button>
      </form>
      <p className="mt-4 text-small text-ink-3">
        <Ticked text={t("signin.forgot")} />
      </p>
    </Frame>
  );
}
