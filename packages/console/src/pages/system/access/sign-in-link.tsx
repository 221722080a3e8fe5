import { useMutation } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { SERVICE_URL } from '../../../api/addresses.ts'
import { api } from '../../../api/client.ts'
import type { Role } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { CodeBlock } from '../../../design/texts/code-block.tsx'
import { Select } from '../../../design/controls/field.tsx'
import { Panel } from '../../../design/panel.tsx'
import { ErrorText } from '../../../design/states.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { useNow } from '../../../format/use-now.ts'
import { rolesUpTo } from './roles.ts'

interface SignInLinkProps {
  /** The highest role that the link can have. */
  readonly role: Role
}

export function SignInLink({ role: own }: SignInLinkProps): ReactElement {
  const [role, setRole] = useState<Role>('viewer')
  const create = useMutation({ mutationFn: () => api.createSignInLink({ role }), gcTime: 0 })
  return (
    <Panel title="Sign in on another browser">
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap gap-2">
          <div className="w-72 max-w-full">
            <Select
              aria-label="Role of the session"
              value={role}
              onPick={(picked) => {
                setRole(picked as Role)
                create.reset()
              }}
              options={rolesUpTo(own)}
            />
          </div>
          <Button isBusy={create.isPending} onClick={() => create.mutate()}>
            Create sign-in link
          </Button>
        </div>
        <ErrorText error={create.error} />
        {create.data !== undefined && (
          <div role="status" className="flex flex-col gap-2">
            <CodeBlock
              text={SERVICE_URL.replace(/\/$/, '') + create.data.path}
              what="the sign-in link"
              className="[&_code]:break-all"
            />
            <p className="text-ink-soft text-dense">
              This link signs in one browser with the {create.data.role} role.{' '}
              <Expiry at={create.data.expiresAt} />
            </p>
          </div>
        )}
      </div>
    </Panel>
  )
}

function Expiry({ at }: { readonly at: string }): ReactElement {
  if (useNow() >= Date.parse(at)) return <>It has expired.</>
  return (
    <>
      It expires <Time at={at} /> and will not be shown again.
    </>
  )
}
