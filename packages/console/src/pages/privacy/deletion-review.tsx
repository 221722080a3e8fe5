import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { destinationsQuery, sourcesQuery } from '../../api/queries.ts'
import { Button } from '../../design/controls/button.tsx'
import { Field, TextInput } from '../../design/controls/field.tsx'
import { counted } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { type DeletionBody, subjectsIn, textToType } from './deletion-fields.ts'

interface DeletionReviewProps {
  readonly body: DeletionBody
  readonly isBusy: boolean
  readonly onBack: () => void
  readonly onConfirm: () => void
}

/** Says plainly what a deletion will do, and asks for the user, or for how many there are. */
export function DeletionReview({
  body,
  isBusy,
  onBack,
  onConfirm,
}: DeletionReviewProps): ReactElement {
  const [typed, setTyped] = useState('')
  const wanted = textToType(body)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (typed === wanted) onConfirm()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Effects body={body} />
      <Field label={`Type “${wanted}” to confirm`} fault={undefined}>
        {(ids) => (
          <TextInput
            {...ids}
            autoFocus
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
      </Field>
      <footer className="flex justify-end gap-2">
        <Button onClick={onBack}>Back</Button>
        <Button type="submit" look="danger" isBusy={isBusy} disabled={typed !== wanted}>
          Delete {counted(subjectsIn(body).length, 'id')} for good
        </Button>
      </footer>
    </form>
  )
}

function Effects({ body }: { readonly body: DeletionBody }): ReactElement {
  const { data: sources = [] } = useQuery(sourcesQuery)
  const { userIds = [], anonymousIds = [], sourceIds } = body
  const nameOf = (id: string): string => sources.find((each) => each.id === id)?.name ?? id
  return (
    <ul className="flex list-disc flex-col gap-2 pl-5">
      {userIds.length > 0 && (
        <li>
          <strong>Every event of {counted(userIds.length, 'user')}</strong>: {listOf(userIds)}.
        </li>
      )}
      {anonymousIds.length > 0 && (
        <li>
          <strong>
            Every event with {counted(anonymousIds.length, 'anonymous id')}, whatever its userId
          </strong>
          : {listOf(anonymousIds)}.
        </li>
      )}
      <li>
        In {sourceIds === undefined ? 'all sources' : listOf(sourceIds.map(nameOf))}, with their
        deliveries, attempts and the responses of receivers; and the profiles of the users, with
        their audiences.
      </li>
      <Notified sourceIds={sourceIds} />
      {body.suppress === true && <li>From now on, their new events are not kept.</li>}
      {anonymousIds.length === 0 && (
        <li>
          <strong>Not deleted:</strong> events from before Hookline knew the user. They have an
          anonymous id only: go back to name it.
        </li>
      )}
      <li>
        <strong>Not deleted:</strong> backups, and what receivers already have: they must do it
        themselves.
      </li>
      <li>This cannot be undone.</li>
    </ul>
  )
}

function Notified({ sourceIds }: { readonly sourceIds: string[] | undefined }): ReactElement {
  const { data } = useQuery(destinationsQuery)
  const told = (data ?? []).filter(
    ({ enabled, sourceId }) => enabled && (sourceIds?.includes(sourceId) ?? true),
  )
  if (data !== undefined && told.length === 0)
    return <li>No destination of these sources is enabled, so nobody is notified.</li>
  return (
    <li>
      <strong>
        {counted(told.length, 'destination gets', 'destinations get')} a notice for each id
      </strong>
      : {listOf(told.map(({ name }) => name))}.
    </li>
  )
}

const SHOWN = 5

/** The first few, and how many more there are. */
function listOf(names: readonly string[]): string {
  const first = names.slice(0, SHOWN).map((each) => `“${shownText(each, 60)}”`)
  const more = names.length - first.length
  return more === 0 ? first.join(', ') : `${first.join(', ')} and ${more} more`
}
