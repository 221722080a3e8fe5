import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Select } from '../../design/controls/field.tsx'
import { Panel } from '../../design/panel.tsx'
import { Button } from '../../design/controls/button.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { FailureItem } from '../../domain/failures/failure-item.tsx'
import { type Failures, failureKey, failuresQuery } from '../../domain/failures/failures-query.ts'
import { idChoices, useNames } from '../../domain/names.ts'
import { isOpen, replaysQuery } from '../../domain/replays/replay-query.ts'
import { ReplayTable } from '../../domain/replays/replay-table.tsx'
import { useRowKeys } from '../../shell/keys/row-keys.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'

export function FailuresPage(): ReactElement {
  const failures = useQuery(failuresQuery())
  return (
    <>
      <PageHeading title="Failures" />
      <div className="flex flex-col gap-4">
        <Replays />
        <Loaded query={failures} lines={6}>
          {(loaded) => <Groups failures={loaded} />}
        </Loaded>
      </div>
    </>
  )
}

function Groups({ failures }: { readonly failures: Failures }): ReactElement {
  const [{ destination = '' }, setUrl] = useUrlState<'destination'>()
  const names = useNames()
  const shown = failures.data.filter(
    ({ destinationId }) => destination === '' || destinationId === destination,
  )
  useRowKeys(shown.length)
  const ids = [...failures.data.map(({ destinationId }) => destinationId), destination]
  const options = idChoices('All destinations', ids, names.destination)
  return (
    <>
      {(options.length > 2 || destination !== '') && (
        <Select
          aria-label="Destination"
          className="self-start"
          value={destination}
          onPick={(picked) => setUrl({ destination: picked })}
          options={options}
        />
      )}
      <Panel isFlush>
        <h2 className="sr-only">Failures by cause</h2>
        {shown.length === 0 && (
          <Empty
            title="No failures"
            action={
              destination !== '' && (
                <Button onClick={() => setUrl({ destination: undefined })}>
                  Show all destinations
                </Button>
              )
            }
          >
            Failed deliveries appear here with their cause, and can be retried.
          </Empty>
        )}
        <ul>
          {shown.map((group, index) => (
            <li
              key={failureKey(group)}
              data-row={index}
              className="border-line focus-within:bg-accent-soft border-t first:border-0"
            >
              <FailureItem group={group} names={names} />
            </li>
          ))}
        </ul>
      </Panel>
      {shown.some(({ isComplete }) => !isComplete) && (
        <p className="text-ink-soft">
          Some failures may not be counted: for each destination, only the newest 2,000 are.
        </p>
      )}
    </>
  )
}

/** The running replays, or the most recent one. */
function Replays(): ReactElement | undefined {
  const { data } = useQuery(replaysQuery)
  const names = useNames()
  const running = data?.data.filter(isOpen) ?? []
  const shown = running.length > 0 ? running : (data?.data.slice(0, 1) ?? [])
  if (shown.length === 0) return undefined
  return (
    <Panel title={running.length > 0 ? 'Running replays' : 'Most recent replay'} isFlush>
      <ReplayTable replays={shown} names={names} />
    </Panel>
  )
}
