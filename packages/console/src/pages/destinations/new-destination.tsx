import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactElement, useId, useState } from 'react'
import { api } from '../../api/client.ts'
import { errorAt } from '../../api/problem.ts'
import type { Destination, Source } from '@hookline/cli/management-client'
import { sourcesQuery } from '../../api/queries.ts'
import { Choice } from '../../design/controls/choice.tsx'
import { Checkbox, Field, Select, TextInput } from '../../design/controls/field.tsx'
import { Modal } from '../../design/dialogs/modal.tsx'
import { DialogForm } from '../../design/dialogs/dialog-form.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { Warnings } from '../../domain/destinations/warnings.tsx'
import { inspectorQuery } from '../../domain/inspector.ts'
import { shownText } from '../../format/shown-text.ts'
import { type DestinationDraft, emptyDraft, requestOf } from './form/new-destination-draft.ts'
import { FormError } from './form/form-error.tsx'
import { NewSecret, SecretChoice, secretOf } from './form/secret-choice.tsx'
import { hasRepeatedHeader } from './form/webhook-drafts.ts'
import { WebhooksEditor } from './form/webhooks-editor.tsx'

interface NewDestinationProps {
  /** The source that is selected first. */
  readonly sourceId: string | undefined
  readonly onClose: () => void
}

/** Creates a destination, then shows its new secret once. */
export function NewDestination({ sourceId, onClose }: NewDestinationProps): ReactElement {
  const sources = useQuery(sourcesQuery)
  const [created, setCreated] = useState<CreatedProps>()
  return (
    <Modal
      title={created === undefined ? 'New destination' : 'Destination created'}
      place="wide"
      isOpen
      onClose={onClose}
    >
      {created === undefined ? (
        <Loaded query={sources} lines={6}>
          {(all) =>
            all.length === 0 ? (
              <NoSources />
            ) : (
              <NewForm
                sources={all}
                firstId={(all.find(({ id }) => id === sourceId) ?? all[0]!).id}
                onCreated={setCreated}
                onClose={onClose}
              />
            )
          }
        </Loaded>
      ) : (
        <Created {...created} />
      )}
    </Modal>
  )
}

interface NewFormProps {
  readonly sources: readonly Source[]
  readonly firstId: string
  readonly onCreated: (created: CreatedProps) => void
  readonly onClose: () => void
}

function NewForm({ sources, firstId, onCreated, onClose }: NewFormProps): ReactElement {
  const client = useQueryClient()
  const { data: inspector } = useQuery(inspectorQuery)
  const [draft, setDraft] = useState(() => emptyDraft(firstId))
  const change = (part: Partial<DestinationDraft>): void => setDraft({ ...draft, ...part })
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const secret = secretOf(draft.secret)
      const request = requestOf(draft, secret, inspector?.url ?? '')
      const destination = await api.createDestination(request)
      return { destination, secret: draft.secret.kind === 'new' ? secret : null }
    },
    onSuccess: (created) => {
      onCreated(created)
      return client.invalidateQueries({ queryKey: ['destinations'] })
    },
  })
  return (
    <DialogForm
      action="Create destination"
      isBusy={isPending}
      disabled={hasRepeatedHeader(draft.webhooks)}
      onSubmit={mutate}
      onClose={onClose}
    >
      <SourceAndName draft={draft} onChange={change} sources={sources} error={error} />
      {inspector && <Target draft={draft} onChange={change} />}
      {draft.target === 'own' && <WebhooksEditor draft={draft} error={error} onChange={change} />}
      <SecretChoice
        name="shared secret"
        draft={draft.secret}
        canBeNone
        fieldError={errorAt(error, '/settings/sharedSecret')}
        onChange={(secret) => change({ secret })}
      />
      <Checkbox
        label="Enabled: deliver new events. Events received while disabled can be replayed later."
        checked={draft.enabled}
        onToggle={(enabled) => change({ enabled })}
      />
      <FormError error={error} />
    </DialogForm>
  )
}

interface DraftProps {
  readonly draft: DestinationDraft
  readonly onChange: (part: Partial<DestinationDraft>) => void
}

interface SourceAndNameProps extends DraftProps {
  readonly sources: readonly Source[]
  readonly error: unknown
}

function SourceAndName({ draft, onChange, sources, error }: SourceAndNameProps): ReactElement {
  return (
    <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
      <Field
        label="Source"
        hint="Cannot be changed later."
        fieldError={errorAt(error, '/sourceId')}
      >
        {(ids) => (
          <Select
            {...ids}
            className="w-full"
            value={draft.sourceId}
            onPick={(sourceId) => onChange({ sourceId })}
            options={sources.map(({ id, name }) => [id, shownText(name, 60)] as const)}
          />
        )}
      </Field>
      <Field label="Name" hint="Default: the host name." fieldError={errorAt(error, '/name')}>
        {(ids) => (
          <TextInput
            {...ids}
            value={draft.name}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        )}
      </Field>
    </div>
  )
}

function Target({ draft, onChange }: DraftProps): ReactElement {
  const group = useId()
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="text-dense mb-1 font-medium">Deliver to</legend>
      <Choice
        group={group}
        label="My own receiver"
        isChosen={draft.target === 'own'}
        onChoose={() => onChange({ target: 'own' })}
      />
      <Choice
        group={group}
        label="Built-in inspector"
        hint="Shows each request and checks its signature."
        isChosen={draft.target === 'inspector'}
        onChoose={() => onChange({ target: 'inspector' })}
      />
    </fieldset>
  )
}

interface CreatedProps {
  readonly destination: Destination
  /** `null` unless it was generated. */
  readonly secret: string | null
}

function Created({ destination, secret }: CreatedProps): ReactElement {
  const { id, name, enabled, warnings } = destination
  return (
    <div className="flex flex-col gap-4">
      <p>
        <strong>{shownText(name)}</strong>{' '}
        {enabled ? 'now receives new events.' : 'is disabled: enable it in its settings.'}
      </p>
      <Warnings warnings={warnings} />
      {secret !== null && <NewSecret name="shared secret" secret={secret} />}
      <p className="flex flex-wrap gap-4">
        <Link
          to="/destinations/$id"
          params={{ id }}
          search={{ tab: 'test' }}
          className="text-accent underline"
        >
          Send a test
        </Link>
        <Link
          to="/destinations/$id"
          params={{ id }}
          search={{ tab: 'settings' }}
          className="text-accent underline"
        >
          Choose events and fields
        </Link>
        <Link to="/destinations/$id" params={{ id }} className="text-accent underline">
          Open destination
        </Link>
      </p>
    </div>
  )
}

function NoSources(): ReactElement {
  return (
    <Empty
      title="No sources yet"
      action={
        <Link to="/sources" className="text-accent underline">
          Open sources
        </Link>
      }
    >
      Create a source first. A destination receives the events from one source.
    </Empty>
  )
}
