import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { CopyButton } from '../../../design/controls/copy-button.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { shownText } from '../../../format/shown-text.ts'
import { useRowKeys } from '../../../shell/keys/row-keys.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { type AuditEntry, changeOf, pageOf } from './audit-facts.ts'

export function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }): ReactElement {
  const [{ entry: openId }, setUrl] = useUrlState<'entry'>()
  useRowKeys(entries.length)
  return (
    <Table label="Audit log" head={['Action', 'Actor', 'Target', 'Time']}>
      {entries.map((each, index) => (
        <Row key={each.id} data-row={index} isCurrent={each.id === openId}>
          <Cell>
            <button
              type="button"
              className="text-accent font-mono hover:underline"
              onClick={() => setUrl({ entry: each.id }, { push: true })}
            >
              {shownText(each.action, 60)}
            </button>
          </Cell>
          <Cell className="max-w-56 min-w-32 break-words" title={shownText(each.actor.id)}>
            {shownText(each.actor.name, 60)}{' '}
            <span className="text-ink-faint">{shownText(each.actor.role, 20)}</span>
          </Cell>
          <Cell className="max-w-80 min-w-40">
            {each.unreadable ? (
              <span className="text-failed">Corrupted entry</span>
            ) : (
              <Target entry={each} />
            )}
          </Cell>
          <Cell className="text-ink-soft">
            <Time at={each.at} />
          </Cell>
        </Row>
      ))}
    </Table>
  )
}

/** The id of the changed record, linked to its page if it has one. */
export function Target({ entry }: { readonly entry: AuditEntry }): ReactElement {
  const { targetId } = entry
  const page = pageOf(entry)
  const change = changeOf(entry)
  if (targetId === null) return <span className="text-ink-faint">–</span>
  const id = <code className="break-all">{shownText(targetId, 80)}</code>
  return (
    <>
      {page === undefined ? (
        id
      ) : (
        <Link {...page} className="text-accent hover:underline">
          {id}
        </Link>
      )}
      <CopyButton text={targetId} what="the target ID" />
      {change !== undefined && <span className="text-ink-faint"> {change}</span>}
    </>
  )
}
