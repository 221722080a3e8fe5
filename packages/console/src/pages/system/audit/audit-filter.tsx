import { type FormEvent, type ReactElement, useId } from 'react'
import { api } from '../../../api/client.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, TextInput } from '../../../design/controls/field.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import { changingActions } from './audit-facts.ts'

const FILTERS = [
  ['actor', 'Actor ID', 'tok_… or ses_…'],
  ['action', 'Action', 'createDestination'],
  ['target', 'Target ID', 'dst_…, src_…'],
] as const

const ACTIONS = changingActions(Object.keys(api))

/** Applied on submit: the API matches whole values only. */
export function AuditFilter(): ReactElement {
  const [filter, setUrl] = useUrlState<'actor' | 'action' | 'target'>()
  const actions = useId()
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const fields = [...new FormData(event.currentTarget)].map(
      ([name, value]) => [name, typeof value === 'string' ? value.trim() : ''] as const,
    )
    setUrl(Object.fromEntries(fields), { push: true })
  }
  return (
    <form
      key={FILTERS.map(([name]) => filter[name]).join(' ')}
      role="search"
      onSubmit={submit}
      className="border-line flex flex-wrap items-end gap-2 border-b px-4 py-3"
    >
      {FILTERS.map(([name, label, placeholder]) => (
        <Field key={name} label={label} className="flex-1 basis-44">
          {(ids) => (
            <TextInput
              {...ids}
              type="search"
              name={name}
              placeholder={placeholder}
              {...(name === 'actor' && { 'data-filter': '' })}
              {...(name === 'action' && { list: actions })}
              defaultValue={filter[name]}
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
      {FILTERS.some(([name]) => filter[name] !== undefined) && (
        <Button
          look="quiet"
          className="mb-1"
          onClick={() => setUrl({ actor: '', action: '', target: '' }, { push: true })}
        >
          Clear
        </Button>
      )}
    </form>
  )
}
