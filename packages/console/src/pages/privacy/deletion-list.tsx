import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import type { Deletion } from '@hookline/cli/management-client'
import { useHasRole } from '../../api/session.ts'
import { usePages } from '../../api/use-pages.ts'
import { Button } from '../../design/controls/button.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { MoreButton } from '../../design/lists/more-button.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Time } from '../../design/texts/time.tsx'
import { wholeNumber } from '../../format/figures.ts'
import { useRowKeys } from '../../shell/keys/row-keys.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { refetchMsOf, notifiedOf, shownState, subjectsOf } from './deletion-facts.ts'

const HEAD = ['IDs', 'State', 'Requested', 'Sources', 'Events deleted', 'Destinations notified']

export function DeletionList({ onNew }: { readonly onNew: () => void }): ReactElement {
  const canDelete = useHasRole('admin')
  const isOpen = ({ state }: Deletion): boolean => state === 'queued' || state === 'running'
  const query = usePages<Deletion>({
    queryKey: ['deletions', 'list'],
    fetch: (page, signal) => api.listDeletions(page, { signal }),
    refetchMs: (deletions) => refetchMsOf(deletions.find(isOpen), Date.now()),
  })
  return (
    <Loaded query={query} lines={5}>
      {(deletions) =>
        deletions.length === 0 ? (
          <Empty
            title="No deletions yet"
            action={canDelete && <Button onClick={onNew}>Delete users…</Button>}
          >
            A deletion removes a user’s data, notifies enabled destinations and creates a signed
            receipt.{!canDelete && ' Only admins can start one.'}
          </Empty>
        ) : (
          <>
            <DeletionTable deletions={deletions} />
            <MoreButton query={query}>Show older deletions</MoreButton>
          </>
        )
      }
    </Loaded>
  )
}

function DeletionTable({ deletions }: { readonly deletions: readonly Deletion[] }): ReactElement {
  const [{ deletion: openId }, setUrl] = useUrlState<'deletion'>()
  useRowKeys(deletions.length)
  const open = (deletion: string): void => setUrl({ deletion }, { push: true })
  return (
    <Table label="Deletions" head={HEAD}>
      {deletions.map((each, index) => {
        const { words, ...badge } = shownState(each)
        return (
          <Row
            key={each.id}
            data-row={index}
            isCurrent={each.id === openId}
            className="cursor-pointer"
            onClick={() => open(each.id)}
          >
            <Cell>
              <button
                type="button"
                className="text-accent text-left font-medium whitespace-nowrap hover:underline"
                onClick={(event) => {
                  event.stopPropagation()
                  open(each.id)
                }}
              >
                {subjectsOf(each)}
              </button>
            </Cell>
            <Cell>
              <StateBadge {...badge}>{words}</StateBadge>
            </Cell>
            <Cell className="text-ink-soft">
              <Time at={each.createdAt} />
            </Cell>
            <Cell className="text-ink-soft">{each.sourceIds?.length ?? 'all'}</Cell>
            <Cell className="tabular-nums">
              {each.purgedAt === null ? '–' : wholeNumber(each.purged.events)}
            </Cell>
            <Cell className="tabular-nums">{notifiedOf(each)}</Cell>
          </Row>
        )
      })}
    </Table>
  )
}
