import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { api } from '../../api/client.ts'
import type { Destination } from '@hookline/cli/management-client'
import { CodeBlock } from '../../design/texts/code-block.tsx'
import { FactList } from '../../design/lists/fact-list.tsx'
import { bytes, wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'

/** A list in a sentence is short; all of them are on the page of the destinations. */
const MOST_NAMES = 5

interface AddressPanelProps {
  readonly inspector: Awaited<ReturnType<typeof api.getInspector>>
  /** Those that deliver to it; `undefined` until they are known. */
  readonly destinations: readonly Destination[] | undefined
}

/** The URL to give a destination, who uses it, and what is kept. */
export function AddressPanel({ inspector, destinations }: AddressPanelProps): ReactElement {
  const { url, requests, limits } = inspector
  const kept = `${wholeNumber(requests.kept)}, ${bytes(requests.bytes)}; ${wholeNumber(requests.received)} came since the start`
  return (
    <div className="flex flex-col gap-3">
      <div>
        <CodeBlock text={url} what="the webhook URL" />
        <p className="text-ink-faint text-note mt-1">
          The webhook URL for a destination. Any path may follow it.
        </p>
      </div>
      <FactList
        facts={[
          [
            'Used by',
            destinations === undefined ? '…' : <UsedBy key="used" destinations={destinations} />,
          ],
          ['Requests', kept],
          [
            'Kept',
            `The last ${wholeNumber(limits.requests)} requests, at most ${bytes(limits.bytes)}, in memory. A restart ends them.`,
          ],
          ['Largest body', `${bytes(limits.bodyBytes)}. A larger one gets 413, and is not kept.`],
        ]}
      />
    </div>
  )
}

function UsedBy({ destinations }: { readonly destinations: readonly Destination[] }): ReactElement {
  if (destinations.length === 0)
    return (
      <>
        No destination delivers to it yet.{' '}
        <Link to="/destinations" className="text-accent underline">
          Open the destinations
        </Link>
      </>
    )
  return (
    <ul className="flex flex-col gap-0.5">
      {destinations.slice(0, MOST_NAMES).map(({ id, name, enabled, paused }) => (
        <li key={id}>
          <Link to="/destinations/$id" params={{ id }} className="text-accent underline">
            {shownText(name, 60)}
          </Link>
          {!enabled ? ', which is off' : paused !== null && ', which is paused'}
        </li>
      ))}
      {destinations.length > MOST_NAMES && (
        <li>and {wholeNumber(destinations.length - MOST_NAMES)} more</li>
      )}
    </ul>
  )
}
