import type { ReactElement, ReactNode } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { Field, TextArea } from '../../../design/controls/field.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import { type DefinitionDraft, withDraft, withText } from '../draft/definition-draft.ts'
import type { Notation } from '../draft/notation.ts'
import { useBuilder } from './builder-context.ts'
import { ErrorList, errorsIn } from './error-list.tsx'

/** Switches between the builder and JSON. */
export function FormButton(): ReactElement {
  const [{ form }, setUrl] = useUrlState<'form'>()
  const isJson = form === 'json'
  return (
    <Button variant="quiet" onClick={() => setUrl({ form: isJson ? undefined : 'json' })}>
      {isJson ? 'Use builder' : 'Edit as JSON'}
    </Button>
  )
}

interface DefinitionInputsProps<Draft> {
  readonly notation: Notation<Draft>
  /** `Condition` */
  readonly label: string
  /** The JSON Pointer of the definition in errors. */
  readonly pointer: string
  readonly value: DefinitionDraft<Draft>
  readonly onChange: (value: DefinitionDraft<Draft>) => void
  /** The inputs of the builder. */
  readonly children: (draft: Draft, onChange: (draft: Draft) => void) => ReactNode
}

/** A definition in words, and the builder or its JSON. */
export function DefinitionInputs<Draft>(props: DefinitionInputsProps<Draft>): ReactElement {
  const { notation, value, onChange, children } = props
  const [{ form }] = useUrlState<'form'>()
  const { nameOf } = useBuilder()
  const { draft } = value
  return (
    <div className="flex flex-col gap-3">
      {draft !== undefined && <p className="font-medium">{notation.describe(draft, nameOf)}</p>}
      {form === 'json' ? (
        <JsonInput {...props} />
      ) : draft === undefined ? (
        <p className="text-ink-soft">The builder cannot show this. Edit it as JSON.</p>
      ) : (
        children(draft, (next) => onChange(withDraft(notation, next)))
      )}
    </div>
  )
}

const MIN_ROWS = 8
const MAX_ROWS = 24

function JsonInput<Draft>(props: DefinitionInputsProps<Draft>): ReactElement {
  const { notation, label, pointer, value, onChange } = props
  const { errors } = useBuilder()
  return (
    <>
      <Field
        label={`${label} as JSON`}
        fieldError={value.json === undefined ? 'Invalid JSON.' : undefined}
      >
        {(ids) => (
          <TextArea
            {...ids}
            rows={Math.min(MAX_ROWS, Math.max(MIN_ROWS, value.text.split('\n').length + 1))}
            value={value.text}
            onChange={({ target }) => onChange(withText(notation, target.value))}
          />
        )}
      </Field>
      <ErrorList
        errors={errorsIn(errors, pointer).map((each) => ({
          ...each,
          message: `${each.pointer.slice(pointer.length) || '/'}: ${each.message}`,
        }))}
      />
    </>
  )
}
