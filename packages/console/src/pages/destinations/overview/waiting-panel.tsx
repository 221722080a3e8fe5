import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { api } from '../../../api/client.ts'
import { Panel } from '../../../design/panel.tsx'
import { Loaded } from '../../../design/states.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { Button } from '../../../design/controls/button.tsx'
import type { DestinationProps } from '../../../domain/destinations/destination-query.ts'
import { waitExplanation } from '../../../domain/trace/explanations.ts'
import { countText } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'
import { useSetUrl } from '../../../shell/url-state.ts'
import { waitGroups } from './wait-groups.ts'

/** The newest deliveries are enough to show the reasons. */
const SAMPLES = 20
const REFETCH_MS = 5_000

/** The number of pending and held deliveries, and their reasons. */
export function WaitingPanel({ destination }: DestinationProps): ReactElement | undefined {
  const { id, health } = destination
  const count = health.webhooks.reduce((sum, { pending, held }) => sum + pending + held, 0)
  const query = useQuery({
    queryKey: ['deliveries', 'waiting', id],
    queryFn: ({ signal }) =>
      api.listDeliveries({ destinationId: id, waiting: 'true', limit: SAMPLES }, { signal }),
    enabled: count > 0,
    refetchInterval: REFETCH_MS,
  })
  const setUrl = useSetUrl<'tab' | 'state'>()
  if (count === 0) return undefined
  return (
    <Panel
      title={countText(count, 'waiting delivery', 'waiting deliveries')}
      actions={
        <Button onClick={() => setUrl({ tab: 'deliveries', state: 'waiting' }, { push: true })}>
          View
        </Button>
      }
    >
      <Loaded query={query} lines={2}>
        {({ data }) => (
          <ul className="flex flex-col gap-2">
            {waitGroups(data).map(({ key, url, waiting, nextAttemptAt }) => (
              <li key={key}>
                <code className="text-dense">{shownText(url)}</code>
                <p>
                  {shownText(waitExplanation(waiting).cause, 500)}{' '}
                  {nextAttemptAt !== null && (
                    <span className="text-ink-soft">
                      Next attempt: <Time at={nextAttemptAt} form="due" />.
                    </span>
                  )}
                </p>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  )
}
