import { type ReactElement, useId } from 'react'
import { Choice } from '../../../design/controls/choice.tsx'
import { Field, TextInput } from '../../../design/controls/field.tsx'
import { CodeBlock } from '../../../design/texts/code-block.tsx'
import { newSecret } from '../../../domain/new-secret.ts'
import type { SecretDraft } from './new-destination-draft.ts'

interface SecretChoiceProps {
  /** `shared secret` */
  readonly name: string
  readonly draft: SecretDraft
  readonly onChange: (draft: SecretDraft) => void
  readonly fieldError: string | undefined
  /** Whether requests may be unsigned. */
  readonly canBeNone?: boolean
}

export function SecretChoice(props: SecretChoiceProps): ReactElement {
  const { name, draft, onChange, fieldError, canBeNone = false } = props
  const group = useId()
  const choice = (kind: SecretDraft['kind'], label: string, hint?: string): ReactElement => (
    <Choice
      group={group}
      label={label}
      hint={hint}
      isChosen={draft.kind === kind}
      onChoose={() => onChange({ ...draft, kind })}
    />
  )
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="text-dense mb-1 font-medium first-letter:uppercase">{name}</legend>
      {choice('new', 'Generate', 'Shown once.')}
      {choice('own', 'Use my own')}
      {draft.kind === 'own' && (
        <Field label="My secret" fieldError={fieldError} className="ml-6">
          {(ids) => (
            <TextInput
              {...ids}
              type="password"
              autoComplete="new-password"
              value={draft.own}
              onChange={({ target }) => onChange({ ...draft, own: target.value })}
            />
          )}
        </Field>
      )}
      {canBeNone &&
        choice('none', 'None', 'Requests are not signed, so receivers cannot verify them.')}
    </fieldset>
  )
}

/** The secret of a draft, generated here if it is new. */
export function secretOf({ kind, own }: SecretDraft): string | null {
  if (kind === 'none') return null
  return kind === 'own' ? own : newSecret()
}

interface NewSecretProps {
  /** `shared secret` */
  readonly name: string
  readonly secret: string
}

export function NewSecret({ name, secret }: NewSecretProps): ReactElement {
  return (
    <div className="flex flex-col gap-1">
      <p>
        Copy the {name} into your receiver now: <strong>it will not be shown again.</strong>
      </p>
      <CodeBlock text={secret} what={`the ${name}`} />
    </div>
  )
}
