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

/** Opens a session with the code of a sign-in link, or with a token of the management API. */
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
        <h2 className="font-semibold">With a link</h2>
        <p className="text-ink-soft">
          On the machine of the service, this command prints a link that signs you in:
        </p>
        <CodeBlock text="npx hookline console" what="the command" />
      </section>
      <TokenForm isBusy={signIn.isPending} onSubmit={(token) => signIn.mutate({ token })} />
    </main>
  )
}

/** The code after the # of the address. It works once, so it leaves the address and the history at once. */
function useCode(): string {
  const [code] = useState(() => location.hash.slice(1))
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
      // A path of the console only: an address of another site would make this page a way to it.
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
      <h2 className="font-semibold">With a token</h2>
      <Field
        label="Token"
        hint="The admin token is in the file admin-token of the data folder. `hookline tokens create` makes others."
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
      <Button type="submit" look="main" isBusy={isBusy} disabled={token.trim() === ''}>
        Sign in
      </Button>
    </form>
  )
}
