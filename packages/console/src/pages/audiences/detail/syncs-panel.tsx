import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { problemOf } from '../../../api/problem.ts'
import { useHasRole } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { Panel } from '../../../design/panel.tsx'
import { StateBadge, type Tone } from '../../../design/state-badge.tsx'
import { Loaded } from '../../../design/states.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { countText, wholeNumber } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'
import type { Computation, ComputationProps } from '../record/computation-kind.ts'

type Sync = NonNullable<Computation['lastSync']>

const TONES: Readonly<Record<Sync['state'], Tone>> = {
  waiting: 'waiting',
  running: 'retrying',
  done: 'delivered',
  failed: 'failed',
}

export function SyncsPanel({ kind, record }: ComputationProps): ReactElement {
  const client = useQueryClient()
  const query = useQuery({
    // Refetched when the syncs of the record change.
    queryKey: [
      kind.resource,
      record.id,
      'syncs',
      record.sync?.id,
      record.sync?.state,
      record.lastSync?.id,
    ],
    queryFn: () => kind.syncs(record.id),
  })
  const sync = useMutation({
    mutationFn: () => kind.sync(record.id),
    onSuccess: () => client.invalidateQueries({ queryKey: [kind.resource, record.id] }),
  })
  const canEdit = useHasRole('editor')
  return (
    <Panel
      isFlush
      title="Syncs"
      actions={
        canEdit && (
          <Button isBusy={sync.isPending} disabled={!record.enabled} onClick={() => sync.mutate()}>
            Sync now
          </Button>
        )
      }
    >
      <p className="text-ink-soft text-dense px-4 pb-2">
        A sync re-evaluates every user. It runs daily and after each change to this {kind.one}; in
        between, events are evaluated as they arrive.
      </p>
      {sync.error !== null && (
        <p role="alert" className="text-failed px-4 pb-2">
          {problemOf(sync.error).message}
        </p>
      )}
      <Progress record={record} />
      <Loaded query={query}>{({ data }) => <SyncTable syncs={data} />}</Loaded>
    </Panel>
  )
}

function Progress({ record: { progress } }: Pick<ComputationProps, 'record'>): ReactElement | null {
  if (progress === null) return null
  const { step, done, total } = progress
  const what = { backfilling: 'events', evaluating: 'profiles', announcing: 'users' }[step]
  return (
    <div className="px-4 pb-3">
      <progress
        className="accent-accent w-full"
        aria-label={step}
        max={Math.max(1, total)}
        value={done}
      />
      <p className="text-ink-soft text-dense">
        {step}: {wholeNumber(done)} of {wholeNumber(total)} {what}
      </p>
    </div>
  )
}

function SyncTable({ syncs }: { readonly syncs: readonly Sync[] }): ReactElement {
  if (syncs.length === 0) return <p className="text-ink-soft px-4 pb-4">No syncs yet.</p>
  return (
    <Table label="Syncs, newest first" head={['State', 'Reason', 'Time', 'Evaluated', 'Changes']}>
      {syncs.map((each) => (
        <Row key={each.id}>
          <Cell>
            <StateBadge tone={TONES[each.state]}>{each.state}</StateBadge>
          </Cell>
          <Cell>{each.reason}</Cell>
          <Cell>
            <Time at={each.finishedAt ?? each.startedAt ?? each.createdAt} />
          </Cell>
          <Cell className="tabular-nums">{countText(each.evaluated, 'profile')}</Cell>
          <Cell className="tabular-nums">
            {each.error === null ? (
              <>
                +{wholeNumber(each.entered)} −{wholeNumber(each.left)}
                {each.missed > 0 &&
                  ` · ${wholeNumber(each.missed)} missed by real-time evaluation; please report this bug`}
              </>
            ) : (
              <span className="text-failed">{shownText(each.error)}</span>
            )}
          </Cell>
        </Row>
      ))}
    </Table>
  )
}
