import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Select } from '../../design/controls/field.tsx'
import { Panel } from '../../design/panel.tsx'
import { Button } from '../../design/controls/button.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { FailureItem } from '../../domain/failures/failure-item.tsx'
import { type Failures, failureKey, failuresQuery } from '../../domain/failures/failures-query.ts'
import { useNames } from '../../domain/names.ts'
import { isOpen, replaysQuery } from '../../domain/replays/replay-query.ts'
import { ReplayTable } from '../../domain/replays/replay-table.tsx'
import { useRowKeys } from '../../shell/keys/row-keys.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'

/** What failed, why, and how to mend it. */
export function FailuresPage(): ReactElement {
  const failures = useQuery(failuresQuery())
  return (
    <>
      <PageHeading
        title="Failures"
        about="Deliveries that failed and have not arrived since, grouped by their cause. The largest group comes first."
      />
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
  const ids = [
    ...new Set([...failures.data.map(({ destinationId }) => destinationId), destination]),
  ]
  return (
    <>
      {(ids.filter(Boolean).length > 1 || destination !== '') && (
        <Select
          aria-label="Destination"
          className="self-start"
          value={destination}
          onPick={(picked) => setUrl({ destination: picked })}
          options={[
            ['', 'All destinations'],
            ...ids.filter(Boolean).map((id) => [id, names.destination(id)] as const),
          ]}
        />
      )}
      <Panel title="What failed" isFlush>
        {shown.length === 0 ? (
          <NothingFailed isFiltered={destination !== ''} />
        ) : (
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
        )}
      </Panel>
      {!failures.isComplete && (
        <p className="text-ink-soft">
          A destination has so many failures that only its newest 2,000 are counted.
        </p>
      )}
    </>
  )
}

function NothingFailed({ isFiltered }: { readonly isFiltered: boolean }): ReactElement {
  const [, setUrl] = useUrlState<'destination'>()
  return (
    <Empty
      title="Nothing has failed"
      action={
        isFiltered && (
          <Button onClick={() => setUrl({ destination: undefined })}>Show all destinations</Button>
        )
      }
    >
      {isFiltered && 'Nothing of this destination. '}
      If a receiver refuses an event or does not respond, the cause appears here with what to do,
      and everything that it stopped can be sent again with a click.
    </Empty>
  )
}

/** Replays that go on, and the last one. */
function Replays(): ReactElement | undefined {
  const { data } = useQuery(replaysQuery)
  const names = useNames()
  const open = data?.data.filter(isOpen) ?? []
  const [last] = data?.data ?? []
  const shown = open.length > 0 ? open : last === undefined ? [] : [last]
  if (shown.length === 0) return undefined
  return (
    <Panel title={open.length > 0 ? 'Replays that run' : 'The last replay'} isFlush>
      <ReplayTable replays={shown} names={names} />
    </Panel>
  )
}
