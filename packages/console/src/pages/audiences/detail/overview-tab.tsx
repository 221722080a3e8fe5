import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { CopyButton } from '../../../design/controls/copy-button.tsx'
import { FactList } from '../../../design/lists/fact-list.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { useNames } from '../../../domain/names.ts'
import { counted } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'
import { writingOf } from '../builder/writing.ts'
import { shownBy } from '../draft/definition-draft.ts'
import { definitionOf } from '../record/computation-kind.ts'
import { useAudienceNames } from '../record/use-audience-names.ts'
import { ChangesPanel } from './changes-panel.tsx'
import { SyncsPanel } from './syncs-panel.tsx'
import type { TabProps } from './tab-props.ts'

/** How big it is, what changed, who is told, and the last syncs. */
export function OverviewTab({ kind, record }: TabProps): ReactElement {
  return (
    <div className="grid min-w-0 items-start gap-4 lg:grid-cols-2">
      <Panel title="At a glance">
        <Facts kind={kind} record={record} />
      </Panel>
      <Panel title="Destinations">
        <Told record={record} />
      </Panel>
      <ChangesPanel kind={kind} record={record} />
      <SyncsPanel kind={kind} record={record} />
    </div>
  )
}

function Facts({ kind, record }: TabProps): ReactElement {
  const { size, key, space, reachesBackTo, createdAt, updatedAt } = record
  return (
    <FactList
      facts={[
        ['Users', <strong key="size">{counted(size, 'user')}</strong>],
        [
          kind.definition === 'condition' ? 'Condition' : 'Function',
          <Definition key="definition" kind={kind} record={record} />,
        ],
        [
          'Trait that is sent',
          <span key="key" className="inline-flex items-center gap-0.5">
            <code>{shownText(key, 100)}</code>
            <CopyButton text={key} what="the key" />
          </span>,
        ],
        ['Space', shownText(space, 50)],
        [
          'Counts events',
          reachesBackTo === null ? undefined : (
            <span key="reaches">
              received since <Time at={reachesBackTo} form="full" />
            </span>
          ),
        ],
        ['Created', <Time key="created" at={createdAt} />],
        ['Changed', <Time key="changed" at={updatedAt} />],
      ]}
    />
  )
}

function Definition({ kind, record }: TabProps): ReactElement {
  const nameOf = useAudienceNames()
  const writing = writingOf(kind)
  const definition = definitionOf(record)
  if (definition === null) return <>a list of users</>
  const draft = shownBy(writing.notation, definition)
  if (draft === undefined) return <code>{shownText(JSON.stringify(definition))}</code>
  return <>{writing.wordsOf(draft, nameOf)}</>
}

function Told({ record }: Pick<TabProps, 'record'>): ReactElement {
  const names = useNames()
  if (record.destinationIds.length === 0)
    return <p className="text-ink-soft">None: nobody is told of changes. Settings adds some.</p>
  return (
    <ul className="flex flex-col gap-1">
      {record.destinationIds.map((id) => (
        <li key={id}>
          <Link to="/destinations/$id" params={{ id }} className="text-accent hover:underline">
            {names.destination(id)}
          </Link>
        </li>
      ))}
    </ul>
  )
}
