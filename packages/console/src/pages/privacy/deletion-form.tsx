import { LIMITS } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useId } from 'react'
import { sourcesQuery } from '../../api/queries.ts'
import { Button } from '../../design/controls/button.tsx'
import { Choice } from '../../design/controls/choice.tsx'
import { Checkbox, Field, TextArea } from '../../design/controls/field.tsx'
import { ErrorText, Loaded } from '../../design/states.tsx'
import { countText, wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { AddAnonymousIds } from './add-anonymous-ids.tsx'
import { type DeletionFields, errorIn, idsIn, spacedIds } from './deletion-fields.ts'

interface FieldsProps {
  readonly fields: DeletionFields
  /** The error from the last submission. */
  readonly error: unknown
  readonly onChange: (fields: DeletionFields) => void
}

interface DeletionFormProps extends FieldsProps {
  readonly onNext: () => void
  readonly onClose: () => void
}

export function DeletionForm({ onNext, onClose, ...rest }: DeletionFormProps): ReactElement {
  const { fields, error, onChange } = rest
  const count = idsIn(fields.users).length + idsIn(fields.anonymous).length
  const isTooMany = count > LIMITS.usersPerDeletion
  const isReady = count > 0 && !isTooMany && (fields.isEverySource || fields.sourceIds.length > 0)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isReady) onNext()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <IdField
        {...rest}
        name="users"
        label="User IDs (one per line)"
        hint="Case-sensitive."
        pointer="/userIds"
      />
      <IdField
        {...rest}
        name="anonymous"
        label="Anonymous IDs (one per line)"
        hint="Events from before the first identify call have only an anonymous ID. All events with these IDs are deleted, regardless of their userId."
        pointer="/anonymousIds"
      />
      <AddAnonymousIds fields={fields} onChange={onChange} />
      <SourceChoice {...rest} />
      <Checkbox
        label={
          <>
            Suppress new events from these users
            <span className="text-ink-faint block">
              Calls for these users get a 200 and are counted, but not stored.
            </span>
          </>
        }
        checked={fields.suppress}
        onToggle={(suppress) => onChange({ ...fields, suppress })}
      />
      {isTooMany && (
        <p role="alert" className="text-failed">
          A deletion can have at most {wholeNumber(LIMITS.usersPerDeletion)} IDs. Split these{' '}
          {wholeNumber(count)} IDs into several deletions.
        </p>
      )}
      <ErrorText error={error} />
      <footer className="flex flex-wrap items-center justify-end gap-2">
        <span className="text-ink-soft text-dense mr-auto">{countText(count, 'ID')}</span>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={!isReady}>
          Review deletion
        </Button>
      </footer>
    </form>
  )
}

interface IdFieldProps extends FieldsProps {
  readonly name: 'users' | 'anonymous'
  readonly label: string
  readonly hint: string
  readonly pointer: string
}

function IdField({ fields, error, onChange, name, label, ...rest }: IdFieldProps): ReactElement {
  const ids = idsIn(fields[name])
  const spaced = spacedIds(ids)
  // Spaces around an id are usually left over from copying out of a table, and turn it into the id of another user.
  const hint =
    spaced.length === 0 ? (
      rest.hint
    ) : (
      <span className="text-retrying">
        {countText(
          spaced.length,
          'ID starts or ends with a space',
          'IDs start or end with a space',
        )}
        . Spaces are part of the ID.
      </span>
    )
  return (
    <Field label={label} hint={hint} fieldError={errorIn(error, rest.pointer, ids)}>
      {(attributes) => (
        <TextArea
          {...attributes}
          rows={name === 'users' ? 4 : 3}
          autoFocus={name === 'users'}
          value={fields[name]}
          onChange={({ target }) => onChange({ ...fields, [name]: target.value })}
        />
      )}
    </Field>
  )
}

function SourceChoice({ fields, error, onChange }: FieldsProps): ReactElement {
  const query = useQuery(sourcesQuery)
  const fieldError = errorIn(error, '/sourceIds')
  const group = useId()
  const choice = (isEverySource: boolean, label: string): ReactElement => (
    <Choice
      group={group}
      label={label}
      isChosen={fields.isEverySource === isEverySource}
      onChoose={() => onChange({ ...fields, isEverySource })}
    />
  )
  const toggle = (id: string, isChosen: boolean): void => {
    const others = fields.sourceIds.filter((each) => each !== id)
    onChange({ ...fields, sourceIds: isChosen ? [...others, id] : others })
  }
  return (
    <fieldset className="text-dense flex flex-col gap-1.5">
      <legend className="mb-1 font-medium">Sources</legend>
      {choice(true, 'All sources, including deleted ones')}
      {choice(false, 'Selected sources')}
      {!fields.isEverySource && (
        <div className="border-line rounded-small max-h-48 overflow-y-auto border p-2">
          <Loaded query={query}>
            {(sources) => (
              <ul className="flex flex-col gap-1">
                {sources.map(({ id, name }) => (
                  <li key={id}>
                    <Checkbox
                      label={shownText(name, 80)}
                      checked={fields.sourceIds.includes(id)}
                      onToggle={(isChosen) => toggle(id, isChosen)}
                    />
                  </li>
                ))}
              </ul>
            )}
          </Loaded>
        </div>
      )}
      {fieldError !== undefined && <p className="text-failed text-note">{fieldError}</p>}
    </fieldset>
  )
}
