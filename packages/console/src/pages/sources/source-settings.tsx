import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import type { Source } from '@hookline/cli/management-client'
import { destinationsQuery } from '../../api/queries.ts'
import { Button } from '../../design/controls/button.tsx'
import { ErrorText } from '../../design/states.tsx'
import { Confirm } from '../../design/dialogs/confirm.tsx'
import { toast } from '../../design/dialogs/toasts.tsx'
import { useAction } from '../../domain/use-action.ts'
import { confirmationText } from '../../format/confirmation-text.ts'
import { shownText } from '../../format/shown-text.ts'
import { changeOf, fieldsOf, jsonError, rateLimitError } from './source-fields.ts'
import { LimitInputs, NameInput } from './source-form.tsx'

interface SourceSettingsProps {
  readonly source: Source
  readonly onDeleted: () => void
}

export function SourceSettings({ source, onDeleted }: SourceSettingsProps): ReactElement {
  const [isDeleting, setDeleting] = useState(false)
  return (
    <div className="flex flex-col gap-6">
      <SettingsForm key={source.version} source={source} />
      <Section
        title={source.enabled ? 'Disable source' : 'This source is disabled'}
        about="A disabled source rejects all calls. Events already received are still delivered."
      >
        <EnableButton source={source} />
      </Section>
      <Section title="Delete source" about="This also deletes its write keys and destinations.">
        <Button variant="danger" onClick={() => setDeleting(true)}>
          Delete source…
        </Button>
      </Section>
      {isDeleting && (
        <DeleteSource source={source} onDeleted={onDeleted} onClose={() => setDeleting(false)} />
      )}
    </div>
  )
}

interface SectionProps {
  readonly title: string
  readonly about: string
  readonly children: ReactNode
}

function Section({ title, about, children }: SectionProps): ReactElement {
  return (
    <section
      aria-label={title}
      className="border-line flex flex-col items-start gap-2 border-t pt-4"
    >
      <h3 className="font-semibold">{title}</h3>
      <p className="text-ink-soft max-w-prose">{about}</p>
      {children}
    </section>
  )
}

/** Keyed by the version of the source: a saved change resets the form to the stored values. */
function SettingsForm({ source }: { readonly source: Source }): ReactElement {
  const [fields, setFields] = useState(fieldsOf(source))
  const change = changeOf(source, fields)
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: () => api.changeSource(source.id, change),
    onSuccess: () => {
      toast('Source saved.')
      return client.invalidateQueries({ queryKey: ['sources'] })
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.mutate()
  }
  const inputs = { fields, onChange: setFields, error: save.error }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <NameInput {...inputs} />
      <LimitInputs {...inputs} />
      {change.space !== undefined && (
        <p className="bg-retrying-soft text-retrying rounded-small text-dense px-3 py-2">
          The change applies to new events only. Earlier data remains in the space “
          {shownText(source.space)}”.
        </p>
      )}
      <ErrorText error={save.error} />
      <Button
        type="submit"
        variant="primary"
        className="self-start"
        isBusy={save.isPending}
        disabled={
          Object.keys(change).length === 0 ||
          rateLimitError(fields) !== undefined ||
          jsonError(fields) !== undefined ||
          fields.name.trim() === ''
        }
      >
        Save
      </Button>
    </form>
  )
}

function EnableButton({
  source: { id, enabled },
}: Pick<SourceSettingsProps, 'source'>): ReactElement {
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const enable = useAction(() => api.changeSource(id, { enabled: true }), 'Source enabled.', [
    'sources',
  ])
  if (!enabled)
    return (
      <Button variant="primary" isBusy={enable.isBusy} onClick={enable.run}>
        Enable source
      </Button>
    )
  return (
    <>
      <Button onClick={() => setAsking(true)}>Disable source…</Button>
      {isAsking && (
        <Confirm
          title="Disable this source?"
          action="Disable source"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await api.changeSource(id, { enabled: false })
            await client.invalidateQueries({ queryKey: ['sources'] })
            toast('Source disabled.')
          }}
        >
          <p>
            All calls will be rejected with 403 <code>source_disabled</code>. Most client libraries
            do not retry rejected calls, so those calls will be lost.
          </p>
          <p>You can enable the source again at any time.</p>
        </Confirm>
      )}
    </>
  )
}

const MAX_NAMES = 10

function DeleteSource({
  source,
  onDeleted,
  onClose,
}: SourceSettingsProps & { readonly onClose: () => void }): ReactElement {
  const client = useQueryClient()
  const { data } = useQuery(destinationsQuery)
  const destinations = data?.filter(({ sourceId }) => sourceId === source.id)
  return (
    <Confirm
      title={`Delete ${shownText(source.name, 80)}?`}
      action="Delete source"
      mustType={confirmationText(source.name, source.id)}
      onClose={onClose}
      onConfirm={async () => {
        await api.removeSource(source.id)
        await Promise.all(
          ['sources', 'destinations'].map((key) => client.invalidateQueries({ queryKey: [key] })),
        )
        toast('Source deleted.')
        onDeleted()
      }}
    >
      <p>Calls with its write keys will be rejected. Most client libraries do not retry them.</p>
      {destinations === undefined || destinations.length > 0 ? (
        <>
          <p className="text-failed">
            {destinations?.length === 1
              ? 'This destination will also be deleted, and its pending events will not be delivered:'
              : 'These destinations will also be deleted, and their pending events will not be delivered:'}
          </p>
          <ul className="list-disc pl-5">
            {destinations?.slice(0, MAX_NAMES).map(({ id, name }) => (
              <li key={id}>{shownText(name, 80)}</li>
            ))}
            {(destinations?.length ?? 0) > MAX_NAMES && (
              <li>and {destinations!.length - MAX_NAMES} more</li>
            )}
          </ul>
        </>
      ) : (
        <p>It has no destinations.</p>
      )}
      <p>This cannot be undone.</p>
    </Confirm>
  )
}
