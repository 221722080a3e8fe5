import { type ReactElement, useState } from 'react'
import { errorAt } from '../../../api/problem.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, Select, TextInput } from '../../../design/controls/field.tsx'
import { Icon } from '../../../design/icon.tsx'
import { shownText } from '../../../format/shown-text.ts'
import { AuthEditor } from './auth-editor.tsx'
import { LimitsEditor } from './limits-editor.tsx'
import {
  hasSameUrl,
  headerPointer,
  type HeaderDraft,
  keepsSecret,
  keepsValue,
  MAX_HEADERS,
  MAX_WEBHOOKS,
  newHeader,
  newWebhook,
  POLICIES,
  isRepeatedHeader,
  type WebhookDraft,
  type WebhooksDraft,
} from './webhook-drafts.ts'

interface WebhooksEditorProps {
  readonly draft: WebhooksDraft
  readonly onChange: (change: Partial<WebhooksDraft>) => void
  readonly error: unknown
}

/** The URLs of a destination with their static headers, and the success policy. */
export function WebhooksEditor({ draft, onChange, error }: WebhooksEditorProps): ReactElement {
  const { webhooks, policy } = draft
  const replace = (changed: WebhookDraft): void =>
    onChange({ webhooks: webhooks.map((each) => (each.key === changed.key ? changed : each)) })
  const listError = errorAt(error, '/settings/webhooks')
  return (
    <div className="flex flex-col gap-3">
      {webhooks.map((webhook, index) => (
        <WebhookEditor
          key={webhook.key}
          webhook={webhook}
          index={index}
          error={error}
          label={webhooks.length === 1 ? 'URL' : `URL ${index + 1}`}
          onChange={replace}
          {...(webhooks.length > 1 && {
            onRemove: () =>
              onChange({ webhooks: webhooks.filter(({ key }) => key !== webhook.key) }),
          })}
        />
      ))}
      {listError !== undefined && <p className="text-failed text-note">{listError}</p>}
      {webhooks.length < MAX_WEBHOOKS && (
        <Button
          className="self-start"
          onClick={() => onChange({ webhooks: [...webhooks, newWebhook()] })}
        >
          <Icon name="plus" /> Add URL
        </Button>
      )}
      {webhooks.length > 1 && (
        <Field
          label="Delivered when"
          hint="Until then, failed attempts to each URL are retried, unless the receiver rejected the event."
        >
          {(ids) => (
            <Select
              {...ids}
              className="self-start"
              options={Object.entries(POLICIES)}
              value={policy}
              onPick={(picked) => onChange({ policy: picked === 'each' ? 'each' : 'any' })}
            />
          )}
        </Field>
      )}
    </div>
  )
}

interface WebhookEditorProps {
  readonly webhook: WebhookDraft
  readonly index: number
  readonly label: string
  readonly error: unknown
  readonly onChange: (draft: WebhookDraft) => void
  readonly onRemove?: () => void
}

function WebhookEditor(props: WebhookEditorProps): ReactElement {
  const { webhook, index, label, error, onChange, onRemove } = props
  return (
    <div className="border-line rounded-small flex min-w-0 flex-col gap-2 border p-3">
      <Field
        label={label}
        hint={
          index === 0
            ? 'The path and the query may contain {{userId}}, {{event}}, {{type}} and {{properties.name}}.'
            : undefined
        }
        fieldError={errorAt(error, `/settings/webhooks/${index}/url`)}
      >
        {(ids) => (
          <div className="flex gap-2">
            <TextInput
              {...ids}
              inputMode="url"
              placeholder="https://example.com/hooks"
              value={webhook.url}
              onChange={({ target }) => onChange({ ...webhook, url: target.value })}
            />
            {onRemove !== undefined && (
              <Button variant="quiet" aria-label={`Remove ${label}`} onClick={onRemove}>
                <Icon name="cross" />
              </Button>
            )}
          </div>
        )}
      </Field>
      <HeadersEditor webhook={webhook} index={index} error={error} onChange={onChange} />
      <AuthEditor
        auth={webhook.auth}
        hasSameUrl={hasSameUrl(webhook)}
        index={index}
        error={error}
        onChange={(auth) => onChange({ ...webhook, auth })}
      />
      <LimitsEditor
        limits={webhook.limits}
        pointer={`/settings/webhooks/${index}/limits`}
        error={error}
        onChange={(limits) => onChange({ ...webhook, limits })}
      />
      {webhook.hasSecret && !keepsSecret(webhook) && (
        <p className="text-note">
          The new URL uses the shared secret. To use a separate secret for it, save first, then set
          the secret below.
        </p>
      )}
    </div>
  )
}

interface HeadersEditorProps {
  readonly webhook: WebhookDraft
  readonly index: number
  readonly error: unknown
  readonly onChange: (webhook: WebhookDraft) => void
}

/** Static headers of a webhook. Their values are write-only. */
function HeadersEditor(props: HeadersEditorProps): ReactElement {
  const { webhook, index, error, onChange } = props
  const { headers } = webhook
  const change = (next: readonly HeaderDraft[]): void => onChange({ ...webhook, headers: next })
  const fieldError = errorAt(error, `/settings/webhooks/${index}/headers`)
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="sr-only">Static headers</legend>
      {headers.map((header) => (
        <HeaderEditor
          key={header.key}
          header={header}
          webhook={webhook}
          fieldError={
            isRepeatedHeader(webhook, header)
              ? 'Duplicate header. Names are not case-sensitive.'
              : errorAt(error, headerPointer(index, header.name))
          }
          onChange={(next) => change(headers.map((each) => (each.key === next.key ? next : each)))}
          onRemove={() => change(headers.filter(({ key }) => key !== header.key))}
        />
      ))}
      {fieldError !== undefined && <p className="text-failed text-note">{fieldError}</p>}
      {headers.length < MAX_HEADERS && (
        <Button
          variant="quiet"
          className="self-start px-1"
          onClick={() => change([...headers, newHeader()])}
        >
          <Icon name="plus" /> Add header
        </Button>
      )}
    </fieldset>
  )
}

interface HeaderEditorProps {
  readonly header: HeaderDraft
  readonly webhook: WebhookDraft
  readonly fieldError: string | undefined
  readonly onChange: (header: HeaderDraft) => void
  readonly onRemove: () => void
}

function HeaderEditor(props: HeaderEditorProps): ReactElement {
  const { header, webhook, fieldError, onChange, onRemove } = props
  const [isReplacing, setReplacing] = useState(false)
  const name = shownText(header.name, 60)
  return (
    <div className="flex flex-wrap items-start gap-2">
      <Field label="Header" className="flex-1 basis-36" fieldError={fieldError}>
        {(ids) => (
          <TextInput
            {...ids}
            placeholder="Authorization"
            readOnly={header.isStored}
            value={header.name}
            onChange={({ target }) => onChange({ ...header, name: target.value })}
          />
        )}
      </Field>
      {keepsValue(header, webhook) && !isReplacing ? (
        <div className="flex flex-1 basis-44 flex-col gap-1">
          <span className="text-dense font-medium">Value</span>
          <span className="text-dense flex min-h-8 items-center gap-2">
            hidden
            <Button
              variant="quiet"
              aria-label={`Replace the value of ${name}`}
              onClick={() => setReplacing(true)}
            >
              Replace
            </Button>
          </span>
        </div>
      ) : (
        <ValueField header={header} webhook={webhook} onChange={onChange} />
      )}
      <Button
        variant="quiet"
        className="mt-6 px-2"
        aria-label={`Remove the header ${name}`}
        onClick={onRemove}
      >
        <Icon name="cross" />
      </Button>
    </div>
  )
}

type ValueFieldProps = Pick<HeaderEditorProps, 'header' | 'webhook' | 'onChange'>

function ValueField({ header, webhook, onChange }: ValueFieldProps): ReactElement {
  const storedHint = hasSameUrl(webhook)
    ? 'Leave empty to keep the stored value.'
    : 'Enter this again for the new URL.'
  const hint = header.isStored ? storedHint : undefined
  return (
    <Field label="Value" className="flex-1 basis-44" hint={hint}>
      {(ids) => (
        <TextInput
          {...ids}
          type="password"
          autoComplete="new-password"
          placeholder="Bearer …"
          value={header.value}
          onChange={({ target }) => onChange({ ...header, value: target.value })}
        />
      )}
    </Field>
  )
}
