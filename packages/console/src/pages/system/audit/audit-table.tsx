import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { CopyButton } from '../../../design/controls/copy-button.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { describeAction } from '../../../domain/audit-action.ts'
import { shownText } from '../../../format/shown-text.ts'
import { useRowKeys } from '../../../shell/keys/row-keys.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { type AuditEntry, pageOf, targetNameOf } from './audit-facts.ts'

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
              className="text-accent text-left hover:underline"
              onClick={() => setUrl({ entry: each.id }, { push: true })}
            >
              {shownText(describeAction(each.action), 60)}
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

/** The name of the changed record, or its id, linked to its page if it has one. */
export function Target({ entry }: { readonly entry: AuditEntry }): ReactElement {
  const { targetId } = entry
  const page = pageOf(entry)
  const name = targetNameOf(entry)
  if (targetId === null) return <span className="text-ink-faint">–</span>
  const shown =
    name === undefined ? (
      <code className="break-all">{shownText(targetId, 80)}</code>
    ) : (
      <span className="break-words">{shownText(name, 80)}</span>
    )
  return (
    <>
      {page === undefined ? (
        shown
      ) : (
        <Link {...page} className="text-accent hover:underline">
          {shown}
        </Link>
      )}
      <CopyButton text={targetId} what="the target ID" />
    </>
  )
}
