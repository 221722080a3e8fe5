import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { IdText } from '../../design/texts/id-text.tsx'
import { VerifyTabs } from '../../domain/snippets/snippet-tabs.tsx'
import { verifiedWith } from './steps.ts'

interface VerifyStepProps {
  readonly destination: Destination | undefined
  readonly secret: string | undefined
}

export function VerifyStep({ destination, secret }: VerifyStepProps): ReactElement {
  if (destination === undefined)
    return <p className="text-ink-faint">Check the signature in a few lines of code.</p>
  const settings = (
    <Link
      to="/destinations/$id"
      params={{ id: destination.id }}
      search={{ tab: 'settings' }}
      className="text-accent underline"
    >
      the destination’s settings
    </Link>
  )
  const key = verifiedWith(destination)
  if (key === 'public key')
    return (
      <p>
        Requests are signed with a key pair. Copy the public key from {settings}, and pass it to{' '}
        <code>verifySignature</code> in <code>@hookline/client</code>.
      </p>
    )
  return (
    <>
      {secret === undefined ? (
        <p>
          You need the {key}. If you do not have it, set or rotate it in {settings}.
        </p>
      ) : (
        <p>
          Shared secret: <IdText id={secret} what="the shared secret" /> Copy it now. It will not be
          shown again.
        </p>
      )}
      <VerifyTabs />
    </>
  )
}
