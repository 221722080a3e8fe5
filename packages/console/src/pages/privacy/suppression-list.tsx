import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import type { Suppression } from '@hookline/cli/management-client'
import { useHasRole } from '../../api/session.ts'
import { usePages } from '../../api/use-pages.ts'
import { Button } from '../../design/controls/button.tsx'
import { CopyButton } from '../../design/controls/copy-button.tsx'
import { SearchForm } from '../../design/controls/search-form.tsx'
import { MoreButton } from '../../design/lists/more-button.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { Confirm } from '../../design/dialogs/confirm.tsx'
import { toast } from '../../design/dialogs/toasts.tsx'
import { useNames } from '../../domain/names.ts'
import { wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { useUrlState } from '../../shell/url-state.ts'

const ACTIONS = (
  <span key="actions" className="sr-only">
    Actions
  </span>
)
const HEAD = ['ID', 'Source', 'Since', 'Dropped calls', 'Last dropped', ACTIONS]

export function SuppressionList(): ReactElement {
  const [{ search = '' }, setUrl] = useUrlState<'search'>()
  const [ending, setEnding] = useState<Suppression>()
  const query = usePages<Suppression>({
    queryKey: ['suppressions', search],
    fetch: async (page, signal) =>
      search === '' ? api.listSuppressions(page, { signal }) : suppressionsOf(search, signal),
  })
  return (
    <>
      <SearchForm
        key={search}
        label="userId or anonymousId"
        placeholder="Full userId or anonymousId"
        search={search}
        onSearch={(text) => setUrl({ search: text })}
      />
      <Loaded query={query} lines={4}>
        {(suppressions) =>
          suppressions.length > 0 ? (
            <Table label="Suppressions" head={HEAD}>
              {suppressions.map((each) => (
                <SuppressionRow
                  key={[each.userId, each.anonymousId, each.sourceId].join('/')}
                  suppression={each}
                  onEnd={() => setEnding(each)}
                />
              ))}
            </Table>
          ) : search === '' ? (
            <Empty title="No suppressions yet">
              Deletions with “Suppress new events” create suppressions.
            </Empty>
          ) : (
            <Empty
              title="This ID is not suppressed"
              action={
                <Button onClick={() => setUrl({ search: undefined })}>Show all suppressions</Button>
              }
            >
              IDs must match exactly, including case and spaces.
            </Empty>
          )
        }
      </Loaded>
      <MoreButton query={query}>Show older suppressions</MoreButton>
      {ending !== undefined && (
        <EndSuppression suppression={ending} onClose={() => setEnding(undefined)} />
      )}
    </>
  )
}

/** Searches user ids and anonymous ids. */
async function suppressionsOf(id: string, signal: AbortSignal) {
  const pages = await Promise.all([
    api.listSuppressions({ userId: id, limit: 100 }, { signal }),
    api.listSuppressions({ anonymousId: id, limit: 100 }, { signal }),
  ])
  return { data: pages.flatMap(({ data }) => data), nextCursor: null }
}

interface SuppressionRowProps {
  readonly suppression: Suppression
  readonly onEnd: () => void
}

function SuppressionRow({ suppression, onEnd }: SuppressionRowProps): ReactElement {
  const [, setUrl] = useUrlState<'deletion'>()
  const canEnd = useHasRole('admin')
  const names = useNames()
  const { userId, anonymousId, sourceId, since, droppedCalls, lastDroppedAt, deletionId } =
    suppression
  const id = userId ?? anonymousId ?? ''
  return (
    <Row>
      <Cell className="max-w-72 min-w-40">
        <span className="text-ink-faint text-note block">
          {userId === null ? 'anonymousId' : 'userId'}
        </span>
        <code>{shownText(id, 80)}</code> <CopyButton text={id} what="the ID" />
      </Cell>
      <Cell className="text-ink-soft max-w-48">
        {sourceId === null ? 'all' : names.source(sourceId)}
      </Cell>
      <Cell className="text-ink-soft">
        <Time at={since} />
      </Cell>
      <Cell className="tabular-nums">{wholeNumber(droppedCalls)}</Cell>
      <Cell className="text-ink-soft">
        {lastDroppedAt === null ? 'never' : <Time at={lastDroppedAt} />}
      </Cell>
      <Cell className="whitespace-nowrap">
        <Button
          variant="quiet"
          className="-my-1"
          aria-label={`View deletion ${deletionId}`}
          onClick={() => setUrl({ deletion: deletionId }, { push: true })}
        >
          View deletion
        </Button>
        {canEnd && (
          <Button
            variant="quiet"
            className="-my-1"
            aria-label={`End suppression of ${shownText(id, 80)}`}
            onClick={onEnd}
          >
            End
          </Button>
        )}
      </Cell>
    </Row>
  )
}

interface EndSuppressionProps {
  readonly suppression: Suppression
  readonly onClose: () => void
}

function EndSuppression({ suppression, onClose }: EndSuppressionProps): ReactElement {
  const client = useQueryClient()
  const { userId, anonymousId } = suppression
  const id = userId ?? anonymousId ?? ''
  return (
    <Confirm
      title="End this suppression?"
      action="End suppression"
      onClose={onClose}
      onConfirm={async () => {
        await api.endSuppression(userId === null ? { anonymousId: id } : { userId: id })
        await client.invalidateQueries({ queryKey: ['suppressions'] })
        toast('Suppression ended.')
      }}
    >
      <p>
        New events from <code className="break-all">{shownText(id)}</code> will be stored and
        delivered again, in every source. Calls that were dropped are not recovered.
      </p>
    </Confirm>
  )
}
