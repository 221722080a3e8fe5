import { useMutation } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { SERVICE_URL } from '../../../api/addresses.ts'
import { api } from '../../../api/client.ts'
import { problemOf } from '../../../api/problem.ts'
import type { Role } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { CodeBlock } from '../../../design/texts/code-block.tsx'
import { Select } from '../../../design/controls/field.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { asRole, rolesUpTo } from './roles.ts'

interface SignInLinkProps {
  /** The role of who makes it: it gives no more. */
  readonly role: Role
}

/** Makes a link that signs another browser in, once. */
export function SignInLink({ role: own }: SignInLinkProps): ReactElement {
  const [role, setRole] = useState<Role>('viewer')
  const make = useMutation({ mutationFn: () => api.createSignInLink({ role }), gcTime: 0 })
  return (
    <Panel title="Sign in another browser">
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap gap-2">
          <div className="w-72 max-w-full">
            {' '}
            <Select
              aria-label="Role of the session"
              value={role}
              onPick={(picked) => {
                setRole(asRole(picked))
                make.reset()
              }}
              options={rolesUpTo(own)}
            />
          </div>{' '}
          <Button isBusy={make.isPending} onClick={() => make.mutate()}>
            Make a sign-in link
          </Button>
        </div>
        {make.error !== null && (
          <p role="alert" className="text-failed">
            {problemOf(make.error).message}
          </p>
        )}
        {make.data !== undefined && (
          <div role="status" className="flex flex-col gap-2">
            <CodeBlock
              text={linkOf(make.data.path)}
              what="the sign-in link"
              className="[&_code]:break-all"
            />
            <p className="text-ink-soft text-dense">
              Whoever opens it has the role {make.data.role}. It works once, and ends{' '}
              <Time at={make.data.expiresAt} />. It is not shown again.
            </p>
          </div>
        )}
      </div>
    </Panel>
  )
}

function linkOf(path: string): string {
  return SERVICE_URL.replace(/\/$/, '') + path
}
