import { INSPECTOR_LIMITS } from '@hookline/protocol'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent, ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { errorAt, problemOf } from '../../api/problem.ts'
import { useHasRole } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Field, TextInput } from '../../design/controls/field.tsx'
import { Icon } from '../../design/icon.tsx'
import { toast } from '../../design/dialogs/toasts.tsx'
import { isSame, PRESETS, type ResponseConfig, responsesSentence } from './responses.ts'

interface ResponsesPanelProps {
  readonly responses: ResponseConfig
}

/** The inspector's current response, and a form to change it. */
export function ResponsesPanel({ responses }: ResponsesPanelProps): ReactElement {
  const canEdit = useHasRole('editor')
  return (
    <div className="flex flex-col gap-3">
      <p role="status">{responsesSentence(responses)}</p>
      {canEdit && <Presets responses={responses} />}
      {/* With this key, the form starts again from each saved response. */}
      {canEdit && <ResponsesForm key={JSON.stringify(responses)} responses={responses} />}
      <p className="text-ink-faint text-note">A restart resets the response to 200.</p>
    </div>
  )
}

function useSave() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (responses: ResponseConfig) => api.changeInspectorResponses(responses),
    onSuccess: (responses) => {
      toast(responsesSentence(responses))
      return client.invalidateQueries({ queryKey: ['inspector'] })
    },
  })
}

function Presets({ responses }: ResponsesPanelProps): ReactElement {
  const save = useSave()
  return (
    <div role="group" aria-label="Presets" className="flex flex-wrap gap-2">
      {PRESETS.map(([label, preset]) => {
        const isSet = isSame(preset, responses)
        return (
          <Button
            key={label}
            aria-pressed={isSet}
            disabled={save.isPending}
            onClick={() =>
              save.mutate(preset, {
                onError: (error) => toast(problemOf(error).message, 'failed'),
              })
            }
          >
            {isSet && <Icon name="check" />}
            {label}
          </Button>
        )
      })}
    </div>
  )
}

const FIELDS = [
  ['status', 'Status', '200 to 599', { min: 200, max: 599, required: true }],
  [
    'delayMs',
    'Delay (ms)',
    '0 for none',
    { min: 0, max: INSPECTOR_LIMITS.delayMs, required: true },
  ],
  [
    'failFirst',
    'Attempts that get this status',
    'Later attempts get 200. Leave empty for all.',
    { min: 1, max: INSPECTOR_LIMITS.failFirst },
  ],
] as const

function ResponsesForm({ responses }: ResponsesPanelProps): ReactElement {
  const save = useSave()
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    save.mutate({
      status: Number(form.get('status')),
      delayMs: Number(form.get('delayMs')),
      failFirst: Number(form.get('failFirst')) || null,
    })
  }
  return (
    <form aria-label="Custom response" onSubmit={submit} className="flex flex-col gap-3">
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
        {FIELDS.map(([name, label, hint, range]) => (
          <Field key={name} label={label} hint={hint} fieldError={errorAt(save.error, `/${name}`)}>
            {(ids) => (
              <TextInput
                {...ids}
                {...range}
                type="number"
                name={name}
                defaultValue={responses[name] ?? ''}
              />
            )}
          </Field>
        ))}
      </div>
      {save.error !== null && (
        <p role="alert" className="text-failed">
          {problemOf(save.error).message}
        </p>
      )}
      <Button type="submit" className="self-start" isBusy={save.isPending}>
        Save
      </Button>
    </form>
  )
}
