import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { CopyButton } from '../../design/controls/copy-button.tsx'
import { VerifyTabs } from '../../domain/snippets/snippet-tabs.tsx'

interface VerifyStepProps {
  readonly destination: Destination | undefined
  readonly secret: string | undefined
}

/** How a receiver checks that a request comes from this service. */
export function VerifyStep({ destination, secret }: VerifyStepProps): ReactElement {
  if (destination === undefined)
    return (
      <p className="text-ink-faint">A few lines of code tell a real delivery from a forged one.</p>
    )
  return (
    <>
      {secret === undefined ? (
        <p>
          You need the shared secret of the destination.{' '}
          <Link
            to="/destinations/$id"
            params={{ id: destination.id }}
            search={{ tab: 'settings' }}
            className="text-accent underline"
          >
            Its settings
          </Link>{' '}
          can make a new one.
        </p>
      ) : (
        <p>
          The shared secret of this destination is <code className="text-dense">{secret}</code>
          <CopyButton text={secret} what="the shared secret" /> Copy it now: it is not shown again.
        </p>
      )}
      <VerifyTabs />
    </>
  )
}
