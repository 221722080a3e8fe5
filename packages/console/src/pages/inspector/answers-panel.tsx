import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import { faultAt, problemOf } from '../../api/problem.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Field, TextInput } from '../../design/controls/field.tsx'
import { Icon } from '../../design/icon.tsx'
import { toast } from '../../design/windows/toasts.tsx'
import {
  type Answers,
  type AnswersDraft,
  answersIn,
  answersSentence,
  draftOf,
  faultOf,
  isSame,
  PRESETS,
} from './answers.ts'

interface AnswersPanelProps {
  readonly answers: Answers
}

/** What the inspector responds now, and how to change it. */
export function AnswersPanel({ answers }: AnswersPanelProps): ReactElement {
  const mayEdit = useMay('editor')
  return (
    <div className="flex flex-col gap-3">
      <p role="status">{answersSentence(answers)}</p>
      {mayEdit && <Presets answers={answers} />}
      {/* Its key is what is set: after each change, the form begins with it. */}
      {mayEdit && <AnswersForm key={JSON.stringify(answers)} answers={answers} />}
      <p className="text-ink-faint text-note">
        It holds for requests from now on. A restart ends it: then every request gets 200 at once.
      </p>
    </div>
  )
}

function useAnswer() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (answers: Answers) => api.changeInspectorAnswers(answers),
    onSuccess: (answers) => {
      toast(answersSentence(answers))
      return client.invalidateQueries({ queryKey: ['inspector'] })
    },
  })
}

function Presets({ answers }: AnswersPanelProps): ReactElement {
  const answer = useAnswer()
  return (
    <div role="group" aria-label="Usual answers" className="flex flex-wrap gap-2">
      {PRESETS.map(([words, preset]) => {
        const isSet = isSame(preset, answers)
        return (
          <Button
            key={words}
            aria-pressed={isSet}
            disabled={answer.isPending}
            onClick={() =>
              answer.mutate(preset, {
                onError: (error) => toast(problemOf(error).message, 'failed'),
              })
            }
          >
            {isSet && <Icon name="check" />}
            {words}
          </Button>
        )
      })}
    </div>
  )
}

const FIELDS = [
  ['status', 'Status', '200 to 599'],
  ['delayMs', 'Delay, in milliseconds', '0: at once'],
  ['failFirst', 'First attempts only', 'Later ones get 200. Empty: all.'],
] as const

function AnswersForm({ answers }: AnswersPanelProps): ReactElement {
  const [draft, setDraft] = useState<AnswersDraft>(() => draftOf(answers))
  const save = useAnswer()
  const wanted = answersIn(draft)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (wanted !== undefined) save.mutate(wanted)
  }
  return (
    <form aria-label="Answers of your own" onSubmit={submit} className="flex flex-col gap-3">
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
        {FIELDS.map(([name, label, hint]) => (
          <Field
            key={name}
            label={label}
            hint={hint}
            fault={faultOf(name, draft) ?? faultAt(save.error, `/${name}`)}
          >
            {(ids) => (
              <TextInput
                {...ids}
                inputMode="numeric"
                value={draft[name]}
                onChange={({ target }) => setDraft({ ...draft, [name]: target.value })}
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
      <Button
        type="submit"
        className="self-start"
        isBusy={save.isPending}
        disabled={wanted === undefined || isSame(wanted, answers)}
      >
        Save
      </Button>
    </form>
  )
}
