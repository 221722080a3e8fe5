import { BUILT_IN_SOURCE_ID } from '@hookline/protocol'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { destinationsQuery, sourcesQuery } from '../../api/queries.ts'
import { Button } from '../../design/controls/button.tsx'
import { Field, TextInput } from '../../design/controls/field.tsx'
import { countText } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { deletionConfirmation, type DeletionBody } from './deletion-fields.ts'

interface DeletionReviewProps {
  readonly body: DeletionBody
  readonly isBusy: boolean
  readonly onBack: () => void
  readonly onConfirm: () => void
}

/** Lists the effects of a deletion, and confirms it. */
export function DeletionReview(props: DeletionReviewProps): ReactElement {
  const { body, isBusy, onBack, onConfirm } = props
  const { userIds = [], anonymousIds = [] } = body
  const [typed, setTyped] = useState('')
  const required = deletionConfirmation(body)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (typed === required) onConfirm()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Effects body={body} />
      <Field label={`Type “${required}” to confirm`}>
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
        <Button type="submit" variant="danger" isBusy={isBusy} disabled={typed !== required}>
          Delete {countText(userIds.length + anonymousIds.length, 'ID')} permanently
        </Button>
      </footer>
    </form>
  )
}

function Effects({ body }: Pick<DeletionReviewProps, 'body'>): ReactElement {
  const { data: sources = [] } = useQuery(sourcesQuery)
  const { data: destinations } = useQuery(destinationsQuery)
  const { userIds = [], anonymousIds = [], sourceIds } = body
  const nameOf = (id: string): string => sources.find((each) => each.id === id)?.name ?? id
  const [inSources, inSpaces] =
    sourceIds === undefined
      ? [' in all sources', '']
      : [` in ${listOf(sourceIds.map(nameOf))}`, ' in the spaces of these sources']
  const notified = destinations?.filter(
    ({ enabled, sourceId }) =>
      enabled && sourceId !== BUILT_IN_SOURCE_ID && (sourceIds?.includes(sourceId) ?? true),
  )
  return (
    <ul className="flex list-disc flex-col gap-2 pl-5">
      {userIds.length > 0 && (
        <li>
          <strong>All events from {countText(userIds.length, 'user')}</strong>
          {inSources}: {listOf(userIds)}.
        </li>
      )}
      {anonymousIds.length > 0 && (
        <li>
          <strong>
            All events with {countText(anonymousIds.length, 'anonymous ID')}, regardless of userId
          </strong>
          {inSources}: {listOf(anonymousIds)}.
        </li>
      )}
      <li>
        The deliveries, attempts and responses of these events, and the users’ profiles and audience
        memberships{inSpaces}.
      </li>
      {notified !== undefined && (
        <li>
          {notified.length === 0 ? (
            'No destination will be notified, because none is enabled.'
          ) : (
            <>
              <strong>{countText(notified.length, 'destination')} will be notified</strong>:{' '}
              {listOf(notified.map(({ name }) => name))}.
            </>
          )}
        </li>
      )}
      {body.suppress === true && <li>New events with these IDs will be suppressed.</li>}
      {anonymousIds.length === 0 && (
        <li>
          <strong>Not deleted:</strong> events from before the user was identified. Go back to add
          their anonymous IDs.
        </li>
      )}
      <li>
        <strong>Not deleted:</strong> backups, and data in receivers, which must delete their own
        copies.
      </li>
      <li>This cannot be undone.</li>
    </ul>
  )
}

const MAX_NAMES = 5

function listOf(names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMES).map((each) => `“${shownText(each, 60)}”`)
  const more = names.length - first.length
  return more === 0 ? first.join(', ') : `${first.join(', ')} and ${more} more`
}
