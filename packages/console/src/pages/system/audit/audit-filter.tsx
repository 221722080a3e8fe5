import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useId } from 'react'
import { api } from '../../../api/client.ts'
import { destinationsQuery, sourcesQuery } from '../../../api/queries.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, Select, TextInput } from '../../../design/controls/field.tsx'
import { describeAction } from '../../../domain/audit-action.ts'
import { shownText } from '../../../format/shown-text.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import {
  actorChoices,
  changingActions,
  uniqueNames,
  targetIdOf,
  targetNameOf,
  type TargetNames,
} from './audit-facts.ts'

const ACTIONS = changingActions(Object.keys(api))
/** The number of recent entries whose actors and records are offered as choices. */
const RECENT = 100

/** Filters by name. The API filters by id. */
export function AuditFilter(): ReactElement {
  const [filter, setUrl] = useUrlState<'actor' | 'action' | 'target'>()
  const { data: recent } = useQuery({
    queryKey: ['audit', 'recent'],
    queryFn: ({ signal }) => api.listAudit({ limit: RECENT }, { signal }),
  })
  const { actor = '', action = '', target = '' } = filter
  const actors = actorChoices(recent?.data ?? [])
  const isKnown = actor === '' || actors.some(([id]) => id === actor)
  return (
    <search className="border-line flex flex-wrap items-end gap-2 border-b px-4 py-3">
      <Select
        aria-label="Actor"
        className="mb-1"
        data-filter
        value={actor}
        options={[
          ['', 'Everyone'],
          ...actors.map(shownChoice),
          ...(isKnown ? [] : [[actor, actor] as const]),
        ]}
        onPick={(id) => setUrl({ actor: id }, { push: true })}
      />
      <Select
        aria-label="Action"
        className="mb-1"
        value={action}
        options={[
          ['', 'All actions'],
          ...ACTIONS.map((each) => [each, describeAction(each)] as const),
        ]}
        onPick={(name) => setUrl({ action: name }, { push: true })}
      />
      <TargetFilter key={target} target={target} names={useTargetNames(recent?.data ?? [])} />
      {Object.values({ actor, action, target }).some(Boolean) && (
        <Button
          variant="quiet"
          className="mb-1"
          onClick={() => setUrl({ actor: '', action: '', target: '' }, { push: true })}
        >
          Clear
        </Button>
      )}
    </search>
  )
}

function shownChoice([id, name]: readonly [string, string]): readonly [string, string] {
  return [id, shownText(name, 60)]
}

interface TargetFilterProps {
  readonly target: string
  readonly names: TargetNames
}

/** Applied on submit: the API matches whole ids only. */
function TargetFilter({ target, names }: TargetFilterProps): ReactElement {
  const [, setUrl] = useUrlState<'target'>()
  const list = useId()
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const text = new FormData(event.currentTarget).get('target')
    setUrl(
      { target: targetIdOf(typeof text === 'string' ? text.trim() : '', names) },
      { push: true },
    )
  }
  return (
    <form onSubmit={submit} className="flex flex-1 basis-64 items-end gap-2">
      <Field label="Name or ID of the changed record" className="flex-1">
        {(ids) => (
          <TextInput
            {...ids}
            // Names may load later.
            key={names.get(target) ?? ''}
            type="search"
            name="target"
            list={list}
            defaultValue={names.get(target) ?? target}
          />
        )}
      </Field>
      <datalist id={list}>
        {[...names].map(([id, name]) => (
          <option key={id} value={name} />
        ))}
      </datalist>
      <Button type="submit" className="mb-1">
        Filter
      </Button>
    </form>
  )
}

function useTargetNames(entries: Parameters<typeof actorChoices>[0]): TargetNames {
  const { data: destinations = [] } = useQuery(destinationsQuery)
  const { data: sources = [] } = useQuery(sourcesQuery)
  const named = entries.flatMap((entry) => {
    const name = targetNameOf(entry)
    return entry.targetId === null || name === undefined ? [] : [{ id: entry.targetId, name }]
  })
  return uniqueNames(
    new Map([...named.toReversed(), ...sources, ...destinations].map(({ id, name }) => [id, name])),
  )
}
