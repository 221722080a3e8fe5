import type { ReactElement, ReactNode } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { FactList } from '../../../design/lists/fact-list.tsx'
import { IdText } from '../../../design/texts/id-text.tsx'
import { JsonBlock } from '../../../design/texts/json-block.tsx'
import { Modal } from '../../../design/windows/modal.tsx'
import { Empty } from '../../../design/states.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { shownText } from '../../../format/shown-text.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import type { AuditEntry } from './audit-facts.ts'
import { Target } from './audit-table.tsx'

interface AuditDrawerProps {
  /** `undefined`: it is on no page that was loaded. */
  readonly entry: AuditEntry | undefined
  readonly onClose: () => void
}

/** One change: who, what, and the record before and after it. */
export function AuditDrawer({ entry, onClose }: AuditDrawerProps): ReactElement {
  return (
    <Modal
      title={entry === undefined ? 'Change' : shownText(entry.action, 60)}
      place="drawer"
      isOpen
      onClose={onClose}
    >
      {entry === undefined ? (
        <Empty title="This entry is not on the loaded pages">
          Close this, and show older entries until it appears.
        </Empty>
      ) : (
        <ShownEntry entry={entry} />
      )}
    </Modal>
  )
}

function ShownEntry({ entry }: { readonly entry: AuditEntry }): ReactElement {
  const { actor, before, after, unreadable } = entry
  return (
    <div className="flex flex-col gap-4">
      <FactList
        facts={[
          ['When', <Time key="when" at={entry.at} form="full" />],
          ['Who', `${shownText(actor.name, 120)} (${shownText(actor.role, 20)})`],
          ['Actor', <IdText key="actor" id={actor.id} what="the id of the actor" />],
          ['Target', <Target key="target" entry={entry} />],
          ['Request', <IdText key="request" id={entry.requestId} what="the id of the request" />],
          ['Entry', <IdText key="entry" id={entry.id} what="the id of the entry" />],
        ]}
      />
      <Narrow entry={entry} />
      {unreadable && (
        <p className="text-failed">
          The stored entry is damaged. This is what can still be read of it.
        </p>
      )}
      <Part title="Before">
        {before === null ? (
          <p className="text-ink-faint">There was no record.</p>
        ) : (
          <JsonBlock value={before} what="the record before" />
        )}
      </Part>
      <Part title="After">
        {after === null ? (
          <p className="text-ink-faint">There is no record any longer.</p>
        ) : (
          <JsonBlock value={after} what="the record after" />
        )}
      </Part>
    </div>
  )
}

/** From one entry to all like it. */
function Narrow({ entry: { actor, action, targetId } }: { readonly entry: AuditEntry }) {
  const [, setUrl] = useUrlState<'actor' | 'action' | 'target' | 'entry'>()
  const only = (filter: { actor?: string; action?: string; target?: string }) => () =>
    setUrl(
      { actor: undefined, action: undefined, target: undefined, entry: undefined, ...filter },
      { push: true },
    )
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={only({ actor: actor.id })}>All by this actor</Button>
      <Button onClick={only({ action })}>All of this action</Button>
      {targetId !== null && (
        <Button onClick={only({ target: targetId })}>All of this target</Button>
      )}
    </div>
  )
}

function Part({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}): ReactElement {
  return (
    <section>
      <h3 className="mb-1 font-semibold">{title}</h3>
      {children}
    </section>
  )
}
