import type { ReactElement } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { FactList } from '../../../design/lists/fact-list.tsx'
import { IdText } from '../../../design/texts/id-text.tsx'
import { JsonBlock } from '../../../design/texts/json-block.tsx'
import { Modal } from '../../../design/dialogs/modal.tsx'
import { Empty } from '../../../design/states.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { describeAction } from '../../../domain/audit-action.ts'
import { shownText } from '../../../format/shown-text.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { type AuditEntry, targetNameOf } from './audit-facts.ts'
import { Target } from './audit-table.tsx'

interface AuditDrawerProps {
  /** `undefined`: on none of the loaded pages. */
  readonly entry: AuditEntry | undefined
  readonly onClose: () => void
}

export function AuditDrawer({ entry, onClose }: AuditDrawerProps): ReactElement {
  return (
    <Modal
      title={entry === undefined ? 'Audit entry' : shownText(titleOf(entry), 120)}
      place="drawer"
      isOpen
      onClose={onClose}
    >
      {entry === undefined ? (
        <Empty title="Entry not loaded">Close this panel and load older entries to find it.</Empty>
      ) : (
        <EntryDetail entry={entry} />
      )}
    </Modal>
  )
}

/** `created destination ERP` */
function titleOf(entry: AuditEntry): string {
  return [describeAction(entry.action), targetNameOf(entry) ?? []].flat().join(' ')
}

function EntryDetail({ entry }: { readonly entry: AuditEntry }): ReactElement {
  const { actor, before, after } = entry
  const records = [
    ['Before', before],
    ['After', after],
  ] as const
  return (
    <div className="flex flex-col gap-4">
      <FactList
        facts={[
          ['Time', <Time at={entry.at} form="full" />],
          ['Action', <code>{shownText(entry.action, 60)}</code>],
          ['Actor', `${shownText(actor.name, 120)} (${shownText(actor.role, 20)})`],
          ['Actor ID', <IdText id={actor.id} what="the actor ID" />],
          ['Target', <Target entry={entry} />],
          ['Request ID', <IdText id={entry.requestId} what="the request ID" />],
          ['Entry ID', <IdText id={entry.id} what="the entry ID" />],
        ]}
      />
      <FilterButtons entry={entry} />
      {entry.unreadable && (
        <p className="text-failed">This entry is corrupted. Only part of it can be read.</p>
      )}
      {records.map(([title, record]) => (
        <section key={title}>
          <h3 className="mb-1 font-semibold">{title}</h3>
          {record === null ? (
            <p className="text-ink-faint">No record</p>
          ) : (
            <JsonBlock value={record} what={`the record ${title.toLowerCase()}`} />
          )}
        </section>
      ))}
    </div>
  )
}

/** Filters the log for similar entries. */
function FilterButtons({ entry: { actor, action, targetId } }: { readonly entry: AuditEntry }) {
  const [, setUrl] = useUrlState<'actor' | 'action' | 'target' | 'entry'>()
  const apply = (filter: { actor?: string; action?: string; target?: string }) => () =>
    setUrl({ actor: '', action: '', target: '', entry: '', ...filter }, { push: true })
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={apply({ actor: actor.id })}>Filter by actor</Button>
      <Button onClick={apply({ action })}>Filter by action</Button>
      {targetId !== null && <Button onClick={apply({ target: targetId })}>Filter by target</Button>}
    </div>
  )
}
