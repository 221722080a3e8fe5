import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { CodeBlock } from '../../design/texts/code-block.tsx'
import { Warnings } from '../../domain/destinations/warnings.tsx'
import { shownText } from '../../format/shown-text.ts'

interface CreatedDestinationProps {
  readonly destination: Destination
  readonly secret: string | undefined
}

/** What to do after a destination was created: keep its secret, mend what will not work, test it. */
export function CreatedDestination(props: CreatedDestinationProps): ReactElement {
  const { destination, secret } = props
  const { id, name, enabled, warnings } = destination
  return (
    <div className="flex flex-col gap-4">
      <p>
        <strong>{shownText(name)}</strong>{' '}
        {enabled ? 'gets new events from now on.' : 'is disabled: enable it in its settings.'}
      </p>
      <Warnings warnings={warnings} />
      {secret !== undefined && (
        <div className="flex flex-col gap-1">
          <p>
            Its shared secret. Copy it into your receiver now:{' '}
            <strong>it is not shown again.</strong>
          </p>
          <CodeBlock text={secret} what="the shared secret" />
        </div>
      )}
      <p className="flex flex-wrap gap-4">
        <Link
          to="/destinations/$id"
          params={{ id }}
          search={{ tab: 'test' }}
          className="text-accent underline"
        >
          Send a test
        </Link>
        <Link to="/destinations/$id" params={{ id }} className="text-accent underline">
          Open the destination
        </Link>
      </p>
    </div>
  )
}
