import { LIMITS } from '@hookline/protocol'
import type { FormEvent, ReactElement } from 'react'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../design/controls/button.tsx'
import { Checkbox, Field, TextArea } from '../../design/controls/field.tsx'
import { counted, wholeNumber } from '../../format/figures.ts'
import { AddAnonymousIds } from './add-anonymous-ids.tsx'
import { type DeletionFields, faultIn, idsIn, spacedIds } from './deletion-fields.ts'
import { SourceChoice } from './source-choice.tsx'

interface DeletionFormProps {
  readonly fields: DeletionFields
  /** What the service said of the last try. */
  readonly error: unknown
  readonly onChange: (fields: DeletionFields) => void
  readonly onNext: () => void
  readonly onClose: () => void
}

export function DeletionForm(props: DeletionFormProps): ReactElement {
  const { fields, error, onChange } = props
  const ids = [...idsIn(fields.users), ...idsIn(fields.anonymous)]
  const isTooMany = ids.length > LIMITS.usersPerDeletion
  const isReady =
    ids.length > 0 && !isTooMany && (fields.isEverySource || fields.sourceIds.length > 0)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isReady) props.onNext()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <IdFields fields={fields} error={error} onChange={onChange} />
      <SourceChoice fields={fields} error={error} onChange={onChange} />
      <Checkbox
        label={
          <>
            Suppress: keep no new events of these users either.
            <span className="text-ink-faint block">
              Their calls still get a 200, and are counted, but not kept. Without it, users can come
              back with new events.
            </span>
          </>
        }
        checked={fields.suppress}
        onToggle={(suppress) => onChange({ ...fields, suppress })}
      />
      {isTooMany && (
        <p role="alert" className="text-failed">
          {wholeNumber(ids.length)} ids are more than one deletion takes. Start several, with at
          most {wholeNumber(LIMITS.usersPerDeletion)} ids each.
        </p>
      )}
      {error !== null && (
        <p role="alert" className="text-failed">
          {problemOf(error).message}
        </p>
      )}
      <footer className="flex flex-wrap items-center justify-end gap-2">
        <span className="text-ink-soft text-dense mr-auto">{counted(ids.length, 'id')}</span>
        <Button onClick={props.onClose}>Cancel</Button>
        <Button type="submit" look="main" disabled={!isReady}>
          Review the deletion
        </Button>
      </footer>
    </form>
  )
}

function IdFields({
  fields,
  error,
  onChange,
}: Pick<DeletionFormProps, 'fields' | 'error' | 'onChange'>): ReactElement {
  const userIds = idsIn(fields.users)
  const anonymousIds = idsIn(fields.anonymous)
  return (
    <>
      <Field
        label="User ids, one in each line"
        hint={<SpaceNote ids={userIds} otherwise="Case counts: U1 and u1 are two users." />}
        fault={faultIn(error, '/userIds', userIds)}
      >
        {(ids) => (
          <TextArea
            {...ids}
            rows={4}
            autoFocus
            value={fields.users}
            onChange={({ target }) => onChange({ ...fields, users: target.value })}
          />
        )}
      </Field>
      <Field
        label="Anonymous ids, one in each line"
        hint={
          <SpaceNote
            ids={anonymousIds}
            otherwise="What a user did before the first identify has an anonymous id only. Every event with one of these ids is deleted, whatever its userId."
          />
        }
        fault={faultIn(error, '/anonymousIds', anonymousIds)}
      >
        {(ids) => (
          <TextArea
            {...ids}
            rows={3}
            value={fields.anonymous}
            onChange={({ target }) => onChange({ ...fields, anonymous: target.value })}
          />
        )}
      </Field>
      <AddAnonymousIds fields={fields} onChange={onChange} />
    </>
  )
}

interface SpaceNoteProps {
  readonly ids: readonly string[]
  readonly otherwise: string
}

/** Spaces at the end come from copying out of a table, and belong to another user than the one that is meant. */
function SpaceNote({ ids, otherwise }: SpaceNoteProps): ReactElement {
  const spaced = spacedIds(ids)
  if (spaced.length === 0) return <>{otherwise}</>
  return (
    <span className="text-retrying">
      {counted(spaced.length, 'id begins or ends with a space', 'ids begin or end with a space')}.
      Spaces count: remove them unless the ids really have them.
    </span>
  )
}
