import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import type { Destination, Source } from '@hookline/cli/management-client'
import { errorAt } from '../../api/problem.ts'
import { useHasRole } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Choice } from '../../design/controls/choice.tsx'
import { Field, TextInput } from '../../design/controls/field.tsx'
import { ErrorText } from '../../design/states.tsx'
import { inspectorQuery } from '../../domain/inspector.ts'
import { newSecret } from '../../domain/new-secret.ts'
import { shownText } from '../../format/shown-text.ts'

interface DestinationStepProps {
  readonly source: Source | undefined
  readonly destination: Destination | undefined
  /** The service does not show the new shared secret again. */
  readonly onSecret: (secret: string) => void
}

export function DestinationStep({
  source,
  destination,
  onSecret,
}: DestinationStepProps): ReactElement {
  const canEdit = useHasRole('editor')
  if (destination !== undefined)
    return (
      <p>
        <Link
          to="/destinations/$id"
          params={{ id: destination.id }}
          className="text-accent underline"
        >
          {shownText(destination.name)}
        </Link>{' '}
        delivers to{' '}
        {destination.settings.webhooks.map(({ url }) => (
          <code key={url} className="text-dense mr-2">
            {shownText(url)}
          </code>
        ))}
      </p>
    )
  if (source === undefined)
    return <p className="text-ink-faint">Use the built-in inspector or your own URL.</p>
  if (!canEdit) return <p>No destination yet. Ask an editor to create one.</p>
  return <DestinationForm source={source} onSecret={onSecret} />
}

function DestinationForm({
  source,
  onSecret,
}: Pick<DestinationStepProps, 'onSecret'> & { readonly source: Source }): ReactElement {
  const client = useQueryClient()
  const { data: inspector } = useQuery(inspectorQuery)
  const [isInspector, setInspector] = useState(true)
  const [ownUrl, setOwnUrl] = useState('')
  const create = useMutation({
    mutationFn: async () => {
      const sharedSecret = newSecret()
      const url = isInspector ? inspector!.url : ownUrl.trim()
      const name = isInspector ? 'Inspector' : 'My webhook'
      const settings = { webhooks: [{ url }], sharedSecret }
      await api.createDestination({
        sourceId: source.id,
        type: 'Webhooks',
        name,
        enabled: true,
        settings,
      })
      onSecret(sharedSecret)
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['destinations'] }),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    create.mutate()
  }
  const fieldError = errorAt(create.error, '/settings/webhooks/0/url')
  return (
    <form onSubmit={submit} className="flex flex-col items-start gap-3">
      <ReceiverChoice isInspector={isInspector} onChange={setInspector} />
      {!isInspector && <ReceiverUrl url={ownUrl} fieldError={fieldError} onChange={setOwnUrl} />}
      <Button
        type="submit"
        variant="primary"
        isBusy={create.isPending}
        disabled={inspector === undefined}
      >
        Create destination
      </Button>
      {fieldError === undefined && <ErrorText error={create.error} />}
    </form>
  )
}

interface ReceiverChoiceProps {
  readonly isInspector: boolean
  readonly onChange: (isInspector: boolean) => void
}

function ReceiverChoice({ isInspector, onChange }: ReceiverChoiceProps): ReactElement {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="sr-only">Receiver</legend>
      <Choice
        group="receiver"
        label="Built-in inspector"
        hint="Shows each request and checks its signature"
        isChosen={isInspector}
        onChoose={() => onChange(true)}
      />
      <Choice
        group="receiver"
        label="My own URL"
        isChosen={!isInspector}
        onChoose={() => onChange(false)}
      />
    </fieldset>
  )
}

interface ReceiverUrlProps {
  readonly url: string
  readonly fieldError: string | undefined
  readonly onChange: (url: string) => void
}

function ReceiverUrl({ url, fieldError, onChange }: ReceiverUrlProps): ReactElement {
  return (
    <Field label="Receiver URL" fieldError={fieldError} className="w-full max-w-md">
      {(ids) => (
        <TextInput
          {...ids}
          type="url"
          required
          placeholder="https://example.com/hooks"
          value={url}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}
