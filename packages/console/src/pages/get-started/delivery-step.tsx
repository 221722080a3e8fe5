import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import type { Delivery, Destination, Event } from '@hookline/cli/management-client'
import { CodeBlock } from '../../design/texts/code-block.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { requestText } from '../../domain/request-text.ts'
import { shownState } from '../../domain/trace/states.ts'
import { VERDICTS, verdictReason } from '../../domain/signature-verdict.ts'
import { duration } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { isSigned } from './steps.ts'

interface DeliveryStepProps {
  readonly event: Event | undefined
  readonly delivery: Delivery | undefined
  readonly destination: Destination | undefined
}

export function DeliveryStep({ event, delivery, destination }: DeliveryStepProps): ReactElement {
  if (event === undefined)
    return <p className="text-ink-faint">The delivery appears here automatically.</p>
  const attempt = delivery?.attempts.at(-1)
  const trace = (
    <Link to="/events/$id" params={{ id: event.id }} className="text-accent underline">
      View trace
    </Link>
  )
  if (delivery === undefined || attempt === undefined)
    return <p role="status">Not delivered yet. {trace}</p>
  const { tone, words } = shownState(delivery.state, true)
  if (delivery.state !== 'delivered')
    return (
      <div role="status" className="flex flex-col items-start gap-2">
        <StateBadge tone={tone}>{words[0]!.toUpperCase() + words.slice(1)}</StateBadge>
        <p>{shownText(attempt.error ?? attempt.class)}</p>
        <p>{trace} for the cause and the remedy.</p>
      </div>
    )
  return (
    <div role="status" className="flex flex-col items-start gap-3">
      <p className="flex flex-wrap items-center gap-2">
        <StateBadge tone="delivered">Delivered</StateBadge>
        The receiver responded with {attempt.status} in {duration(attempt.durationMs)}. {trace}
      </p>
      {destination !== undefined && !isSigned(destination) && <Unsigned id={destination.id} />}
      <InspectedRequest deliveryId={delivery.id} />
    </div>
  )
}

function Unsigned({ id }: Pick<Destination, 'id'>): ReactElement {
  return (
    <p>
      <StateBadge tone="retrying">Not signed</StateBadge> The destination has a URL without a
      secret, so its receiver cannot verify requests. Set one in{' '}
      <Link
        to="/destinations/$id"
        params={{ id }}
        search={{ tab: 'settings' }}
        className="text-accent underline"
      >
        the destination’s settings
      </Link>
      , then send another event.
    </p>
  )
}

/** The request in the inspector; nothing for other receivers. */
function InspectedRequest({ deliveryId }: { readonly deliveryId: string }): ReactElement | null {
  const { data } = useQuery({
    queryKey: ['inspector', 'requests', deliveryId],
    queryFn: async () => {
      const { data: found } = await api.listInspectedRequests({ deliveryId, limit: 1 })
      return found[0] === undefined ? null : api.getInspectedRequest(found[0].id)
    },
  })
  if (data == null) return null
  const { tone, words } = VERDICTS[data.signature.verdict]
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <StateBadge tone={tone}>{words[0]!.toUpperCase() + words.slice(1)}</StateBadge>
        {verdictReason(data.signature)}
      </p>
      <CodeBlock text={requestText(data)} what="the request" className="w-full" />
    </>
  )
}
