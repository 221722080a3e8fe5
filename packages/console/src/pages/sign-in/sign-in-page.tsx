import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactElement, useEffect, useEffectEvent, useState } from 'react'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { sessionQuery } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { CodeBlock } from '../../design/texts/code-block.tsx'
import { Field, TextInput } from '../../design/controls/field.tsx'
import { Skeleton } from '../../design/states.tsx'
import { useUrlState } from '../../shell/url-state.ts'

export function SignInPage(): ReactElement {
  const code = useCode()
  const signIn = useSignIn()
  const useLink = useEffectEvent(() => signIn.mutate({ code }))
  useEffect(() => {
    if (code !== '') useLink()
  }, [code])
  if (signIn.isPending && code !== '') return <Skeleton lines={4} />
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-6 p-6">
      <title>Sign in · Hookline</title>
      <h1 className="text-page flex items-center gap-2 font-semibold">
        <img src="./icon.svg" alt="" className="size-6" />
        Sign in to Hookline
      </h1>
      {signIn.error && (
        <p role="alert" className="bg-failed-soft text-failed rounded-small px-3 py-2">
          {problemOf(signIn.error).message}
        </p>
      )}
      <section className="flex flex-col gap-2">
        <h2 className="font-semibold">Sign-in link</h2>
        <p className="text-ink-soft">Run this command on the server to get a link:</p>
        <CodeBlock text="npx hookline console" what="the command" />
      </section>
      <TokenForm isBusy={signIn.isPending} onSubmit={(token) => signIn.mutate({ token })} />
    </main>
  )
}

/** The one-time code in the URL hash. It is removed from the address and the history immediately. */
function useCode(): string {
  const [code, setCode] = useState(() => location.hash.slice(1))
  useEffect(() => {
    // A link that is opened in this tab changes only the hash.
    const onChange = (): void => setCode(location.hash.slice(1))
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [])
  useEffect(() => {
    if (code !== '') history.replaceState(history.state, '', location.pathname + location.search)
  }, [code])
  return code
}

function useSignIn() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [{ to }] = useUrlState<'to'>()
  return useMutation({
    mutationFn: (body: { code?: string; token?: string }) => api.createSession(body),
    onSuccess: async () => {
      client.clear()
      await client.fetchQuery(sessionQuery)
      // Console paths only: anything else would be an open redirect.
      const isOurs = to !== undefined && /^\/(?![/\\])/.test(to)
      await navigate({ to: isOurs ? to : '/', replace: true })
    },
  })
}

interface TokenFormProps {
  readonly isBusy: boolean
  readonly onSubmit: (token: string) => void
}

function TokenForm({ isBusy, onSubmit }: TokenFormProps): ReactElement {
  const [token, setToken] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSubmit(token.trim())
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <h2 className="font-semibold">API token</h2>
      <Field
        label="Token"
        hint="The admin token is in the file admin-token in the data folder, unless adminToken is set. Create others with “hookline tokens create”."
      >
        {(ids) => (
          <TextInput
            {...ids}
            type="password"
            autoComplete="current-password"
            value={token}
            onChange={({ target }) => setToken(target.value)}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" isBusy={isBusy} disabled={token.trim() === ''}>
        Sign in
      </Button>
    </form>
  )
}
