import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import type { Destination, Source } from '@hookline/cli/management-client'
import { sourcesQuery } from '../../api/queries.ts'
import { Modal } from '../../design/windows/modal.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { inspectorQuery } from '../../domain/inspector.ts'
import { CreatedDestination } from './created-destination.tsx'
import { DestinationFields } from './form/destination-fields.tsx'
import { emptyDraft, requestOf, secretOf } from './form/new-destination-draft.ts'
import { hasRepeatedHeader } from './form/webhook-drafts.ts'

interface NewDestinationProps {
  /** The source that is picked at first. */
  readonly sourceId: string | undefined
  readonly onClose: () => void
}

/** Asks for a new destination, and then shows its secret, for the only time. */
export function NewDestination({ sourceId, onClose }: NewDestinationProps): ReactElement {
  const sources = useQuery(sourcesQuery)
  const [created, setCreated] = useState<Created>()
  return (
    <Modal
      title={created === undefined ? 'New destination' : 'The destination is there'}
      place="wide"
      isOpen
      onClose={onClose}
    >
      {created === undefined ? (
        <Loaded query={sources} lines={6}>
          {(all) =>
            all.length === 0 ? (
              <NoSource />
            ) : (
              <NewForm
                sources={all}
                first={all.find(({ id }) => id === sourceId) ?? all[0]!}
                onCreated={setCreated}
                onClose={onClose}
              />
            )
          }
        </Loaded>
      ) : (
        <CreatedDestination {...created} />
      )}
    </Modal>
  )
}

interface Created {
  readonly destination: Destination
  /** The secret that was made here. */
  readonly secret: string | undefined
}

interface NewFormProps {
  readonly sources: readonly Source[]
  readonly first: Source
  readonly onCreated: (created: Created) => void
  readonly onClose: () => void
}

function NewForm({ sources, first, onCreated, onClose }: NewFormProps): ReactElement {
  const client = useQueryClient()
  const inspector = useQuery(inspectorQuery)
  const [draft, setDraft] = useState(() => emptyDraft(first.id))
  const create = useMutation({
    mutationFn: async () => {
      const secret = secretOf(draft.secret)
      const request = requestOf(draft, secret, inspector.data?.url ?? '')
      const destination = await api.createDestination(request)
      const isNew = draft.secret.kind === 'new'
      return { destination, secret: isNew ? (secret ?? undefined) : undefined }
    },
    onSuccess: (made) => {
      onCreated(made)
      return client.invalidateQueries({ queryKey: ['destinations'] })
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit}>
      <DestinationFields
        draft={draft}
        onChange={setDraft}
        sources={sources}
        hasInspector={inspector.data !== undefined}
        error={create.error}
        isBusy={create.isPending}
        mayCreate={!hasRepeatedHeader(draft.webhooks)}
        onClose={onClose}
      />
    </form>
  )
}

function NoSource(): ReactElement {
  return (
    <Empty
      title="A source comes first"
      action={
        <Link to="/sources" className="text-accent underline">
          Go to the sources
        </Link>
      }
    >
      A destination gets the events of one source, and there is none yet.
    </Empty>
  )
}
