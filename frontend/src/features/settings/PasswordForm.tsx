import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { changePassword, sessionsQuery, tokensQuery } from "../../api/account";
import { t } from "../../messages/t";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { Refused } from "./Parts";

/** Changes the password, which signs out everywhere else. */
export function PasswordForm() {
  const client = useQueryClient();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      setCurrent("");
      setNext("");
    },
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      await client.invalidateQueries({ queryKey: tokensQuery.queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (current !== "" && next !== "") change.mutate({ current, next });
  };
  return (
    <form onSubmit={submit} noValidate className="flex max-w-90 flex-col gap-3">
      <Field
        label={t("password.current")}
        type="password"
        autoComplete="current-password"
        value={current}
        onChange={(event) => setCurrent(event.target.value)}
      />
      <Field
        label={t("password.next")}
        type="password"
        autoComplete="new-password"
        hint={t("password.hint")}
        value={next}
        onChange={(event) => setNext(event.target.value)}
      />
      <Button
        type="submit"
        className="self-start"
        disabled={change.isPending || current === "" || next === ""}
      >
        {t("password.change")}
      </Button>
      <Refused error={change.error} />
      <p role="status" className="text-small text-clear">
        {change.isSuccess && current === "" && next === "" ? t("password.changed") : ""}
      </p>
    </form>
  );
}
