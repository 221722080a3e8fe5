import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { destinationsQuery, sourcesQuery } from '../../api/queries.ts'
import { Failed, Skeleton } from '../../design/states.tsx'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { DeliveryStep } from './delivery-step.tsx'
import { DestinationStep } from './destination-step.tsx'
import { SendStep } from './send-step.tsx'
import { SourceStep } from './source-step.tsx'
import { Step } from './step.tsx'
import { isSigned, stepStates, usableDestination, usableSources } from './steps.ts'
import { useFirstDelivery } from './use-first-delivery.ts'
import { VerifyStep } from './verify-step.tsx'

export function GetStartedPage(): ReactElement {
  const [url] = useUrlState<'source'>()
  const sources = useQuery(sourcesQuery)
  const destinations = useQuery(destinationsQuery)
  const [secret, setSecret] = useState<string>()
  const usable = usableSources(sources.data ?? [])
  const source = usable.find(({ id }) => id === url.source) ?? usable[0]
  const destination = usableDestination(destinations.data ?? [], source)
  const { event, delivery } = useFirstDelivery(source, destination)
  const error = sources.error ?? destinations.error
  if (sources.data === undefined || destinations.data === undefined)
    return error === null ? <Skeleton lines={8} /> : <Failed error={error} />
  const isDelivered = delivery?.state === 'delivered' && isSigned(destination)
  const states = stepStates([
    source !== undefined,
    destination !== undefined,
    event !== undefined && destination !== undefined,
    isDelivered,
  ])
  return (
    <div className="max-w-3xl">
      <PageHeading
        title="Get started"
        about="Five steps to your first verified delivery. You can also complete them with the CLI or the management API."
      />
      <ol>
        <Step number={1} title="Create a source" state={states[0]!}>
          <SourceStep source={source} sources={usable} />
        </Step>
        <Step number={2} title="Add a destination" state={states[1]!}>
          <DestinationStep source={source} destination={destination} onSecret={setSecret} />
        </Step>
        <Step number={3} title="Send an event" state={states[2]!}>
          <SendStep source={source} isReady={destination !== undefined} event={event} />
        </Step>
        <Step number={4} title="Receive a signed delivery" state={states[3]!}>
          <DeliveryStep event={event} delivery={delivery} destination={destination} />
        </Step>
        <Step
          number={5}
          title="Verify the signature in your receiver"
          state={isDelivered ? 'current' : 'later'}
        >
          <VerifyStep destination={destination} secret={secret} />
        </Step>
      </ol>
    </div>
  )
}
