import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { FactList } from '../../../design/lists/fact-list.tsx'
import { Panel } from '../../../design/panel.tsx'
import { IdText } from '../../../design/texts/id-text.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { useNames } from '../../../domain/names.ts'
import { countText } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'
import { shownBy } from '../../../domain/conditions/draft/definition-draft.ts'
import {
  type ComputationProps,
  definitionOf,
  useAudienceNames,
} from '../record/computation-kind.ts'
import { ChangesPanel } from './changes-panel.tsx'
import { SyncsPanel } from './syncs-panel.tsx'

export function OverviewTab({ kind, record }: ComputationProps): ReactElement {
  const { destination } = useNames()
  return (
    <div className="grid min-w-0 items-start gap-4 lg:grid-cols-2">
      <Panel title="Details">
        <Facts kind={kind} record={record} />
      </Panel>
      <Panel title="Destinations">
        {record.destinationIds.length === 0 && (
          <p className="text-ink-soft">None. Add destinations in Settings.</p>
        )}
        <ul className="flex flex-col gap-1">
          {record.destinationIds.map((id) => (
            <li key={id}>
              <Link to="/destinations/$id" params={{ id }} className="text-accent hover:underline">
                {destination(id)}
              </Link>
            </li>
          ))}
        </ul>
      </Panel>
      <ChangesPanel kind={kind} record={record} />
      <SyncsPanel kind={kind} record={record} />
    </div>
  )
}

function Facts({ kind, record }: ComputationProps): ReactElement {
  const { size, key, space, reachesBackTo, createdAt, updatedAt } = record
  return (
    <FactList
      facts={[
        ['Size', <strong key="size">{countText(size, 'user')}</strong>],
        [kind.definitionLabel, <Definition key="definition" kind={kind} record={record} />],
        ['Trait key', <IdText key="key" id={key} what="the key" />],
        ['Space', shownText(space, 50)],
        [
          'Events since',
          reachesBackTo === null ? undefined : <Time key="since" at={reachesBackTo} form="full" />,
        ],
        ['Created', <Time key="created" at={createdAt} />],
        ['Updated', <Time key="updated" at={updatedAt} />],
      ]}
    />
  )
}

function Definition({ kind: { notation }, record }: ComputationProps): ReactElement {
  const nameOf = useAudienceNames()
  const definition = definitionOf(record)
  if (definition === null) return <>manual list</>
  const draft = shownBy(notation, definition)
  if (draft === undefined) return <code>{shownText(JSON.stringify(definition))}</code>
  return <>{notation.describe(draft, nameOf)}</>
}
