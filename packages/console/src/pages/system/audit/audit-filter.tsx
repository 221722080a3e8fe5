import { type FormEvent, type ReactElement, useId, useState } from 'react'
import { api } from '../../../api/client.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, TextInput } from '../../../design/controls/field.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import { changingActions } from './audit-facts.ts'

const AUDIT_FILTERS = ['actor', 'action', 'target'] as const

type AuditFilter = Readonly<Partial<Record<(typeof AUDIT_FILTERS)[number], string>>>

const LABELS = {
  actor: ['Actor id', 'tok_… or ses_…'],
  action: ['Action', 'createDestination'],
  target: ['Target id', 'dst_…, src_…'],
} as const

const ACTIONS = changingActions(Object.keys(api))

/** Narrows the audit log. The service compares exactly, so it is asked when all is written. */
export function AuditFilterBar(): ReactElement {
  const [{ actor = '', action = '', target = '' }, setUrl] = useUrlState<keyof AuditFilter>()
  const filter = { actor, action, target }
  return (
    <FilterForm
      key={JSON.stringify(filter)}
      filter={filter}
      onFilter={(next) => setUrl(next, { push: true })}
    />
  )
}

interface FilterFormProps {
  readonly filter: Required<AuditFilter>
  readonly onFilter: (filter: AuditFilter) => void
}

function FilterForm({ filter, onFilter }: FilterFormProps): ReactElement {
  const [draft, setDraft] = useState(filter)
  const actions = useId()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onFilter(draft)
  }
  const isFiltered = Object.values(filter).some((each) => each !== '')
  return (
    <form
      role="search"
      onSubmit={submit}
      className="border-line flex flex-wrap items-end gap-2 border-b px-4 py-3"
    >
      {AUDIT_FILTERS.map((name) => (
        <Field key={name} label={LABELS[name][0]} fault={undefined} className="flex-1 basis-44">
          {(ids) => (
            <TextInput
              {...ids}
              type="search"
              placeholder={LABELS[name][1]}
              {...(name === 'actor' && { 'data-filter': '' })}
              {...(name === 'action' && { list: actions })}
              value={draft[name]}
              onChange={({ target }) => setDraft({ ...draft, [name]: target.value.trim() })}
            />
          )}
        </Field>
      ))}
      <datalist id={actions}>
        {ACTIONS.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <Button type="submit" className="mb-1">
        Filter
      </Button>
      {isFiltered && (
        <Button
          look="quiet"
          className="mb-1"
          onClick={() => onFilter({ actor: '', action: '', target: '' })}
        >
          Show all
        </Button>
      )}
    </form>
  )
}
