import { type ReactElement, useId } from 'react'
import { Choice } from '../../../design/controls/choice.tsx'
import { Field, TextInput } from '../../../design/controls/field.tsx'

type SecretKind = 'new' | 'own' | 'none'

export interface SecretDraft {
  readonly kind: SecretKind
  readonly own: string
}

interface SecretChoiceProps {
  readonly draft: SecretDraft
  readonly onChange: (draft: SecretDraft) => void
  readonly fault: string | undefined
  /** Whether requests may stay unsigned. */
  readonly mayBeNone: boolean
}

/** The key of the signatures: a new random one, one's own, or none. */
export function SecretChoice(props: SecretChoiceProps): ReactElement {
  const { draft, onChange, fault, mayBeNone } = props
  const group = useId()
  const choice = (kind: SecretKind, label: string, hint: string): ReactElement => (
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
      <legend className="text-dense mb-1 font-medium">Shared secret</legend>
      {choice('new', 'Make a new one', '32 random bytes. It is shown once, to copy.')}
      {choice('own', 'Use my own', 'One that your receiver already has.')}
      {draft.kind === 'own' && (
        <Field label="My secret" fault={fault} className="ml-6">
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
      {mayBeNone &&
        choice('none', 'None', 'Requests are not signed: a receiver cannot tell who sent them.')}
    </fieldset>
  )
}
