import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import type { Suppression } from '@hookline/cli/management-client'
import { sourcesQuery } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Confirm } from '../../design/windows/confirm.tsx'
import { CopyButton } from '../../design/controls/copy-button.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Time } from '../../design/texts/time.tsx'
import { toast } from '../../design/windows/toasts.tsx'
import { wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { useUrlState } from '../../shell/url-state.ts'

const HEAD = ['Who', 'Source', 'Since', 'Calls left out', 'Last one', 'Deletion']

interface SuppressionTableProps {
  readonly suppressions: readonly Suppression[]
}

export function SuppressionTable({ suppressions }: SuppressionTableProps): ReactElement {
  const [ending, setEnding] = useState<Suppression>()
  const mayEnd = useMay('admin')
  const actions = (
    <span key="actions" className="sr-only">
      Actions
    </span>
  )
  return (
    <>
      <Table label="Suppressions" head={mayEnd ? [...HEAD, actions] : HEAD}>
        {suppressions.map((each) => (
          <SuppressionRow
            key={[each.userId, each.anonymousId, each.sourceId].join('/')}
            suppression={each}
            onEnd={mayEnd ? () => setEnding(each) : undefined}
          />
        ))}
      </Table>
      {ending !== undefined && (
        <EndSuppression ended={ending} onClose={() => setEnding(undefined)} />
      )}
    </>
  )
}

interface SuppressionRowProps {
  readonly suppression: Suppression
  readonly onEnd: (() => void) | undefined
}

function SuppressionRow({ suppression, onEnd }: SuppressionRowProps): ReactElement {
  const [, setUrl] = useUrlState<'deletion'>()
  const { data: sources = [] } = useQuery(sourcesQuery)
  const { userId, anonymousId, sourceId, since, callsLeftOut, lastLeftOutAt, deletionId } =
    suppression
  const id = userId ?? anonymousId ?? ''
  const source = sources.find((each) => each.id === sourceId)?.name ?? sourceId
  return (
    <Row>
      <Cell className="max-w-72 min-w-40">
        <span className="text-ink-faint text-note block">
          {userId === null ? 'anonymousId' : 'userId'}
        </span>
        <code>{shownText(id, 80)}</code> <CopyButton text={id} what="the id" />
      </Cell>
      <Cell className="text-ink-soft max-w-48">
        {source === null ? 'all' : shownText(source, 80)}
      </Cell>
      <Cell className="text-ink-soft">
        <Time at={since} />
      </Cell>
      <Cell className="tabular-nums">{wholeNumber(callsLeftOut)}</Cell>
      <Cell className="text-ink-soft">
        {lastLeftOutAt === null ? 'never' : <Time at={lastLeftOutAt} />}
      </Cell>
      <Cell>
        <Button
          look="quiet"
          className="-my-1"
          aria-label={`Show the deletion ${deletionId}`}
          onClick={() => setUrl({ deletion: deletionId }, { push: true })}
        >
          Show
        </Button>
      </Cell>
      {onEnd !== undefined && (
        <Cell>
          <Button
            look="quiet"
            className="-my-1"
            aria-label={`End the suppression of ${shownText(id, 80)}`}
            onClick={onEnd}
          >
            End
          </Button>
        </Cell>
      )}
    </Row>
  )
}

interface EndSuppressionProps {
  readonly ended: Suppression
  readonly onClose: () => void
}

function EndSuppression({ ended, onClose }: EndSuppressionProps): ReactElement {
  const client = useQueryClient()
  const { userId, anonymousId } = ended
  const id = userId ?? anonymousId ?? ''
  return (
    <Confirm
      title="End this suppression?"
      action="Keep new events again"
      onClose={onClose}
      onConfirm={async () => {
        await api.endSuppression(userId === null ? { anonymousId: id } : { userId: id })
        await client.invalidateQueries({ queryKey: ['suppressions'] })
        toast('New events of the user are kept again.')
      }}
    >
      <p>
        From now on, new events of <code className="break-all">{shownText(id)}</code> are kept and
        delivered again, in every source.
      </p>
      <p>What was left out until now stays left out.</p>
    </Confirm>
  )
}
