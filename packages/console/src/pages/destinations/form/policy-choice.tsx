import { type ReactElement, useId } from 'react'
import { Choice } from '../../../design/controls/choice.tsx'

type Policy = 'any' | 'each'

interface PolicyChoiceProps {
  readonly policy: Policy
  readonly onChange: (policy: Policy) => void
}

/** When a delivery to several URLs is delivered. */
export function PolicyChoice({ policy, onChange }: PolicyChoiceProps): ReactElement {
  const group = useId()
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="text-dense mb-1 font-medium">An event is delivered when</legend>
      <Choice
        group={group}
        label="any URL has accepted it"
        hint="The others are not tried again."
        isChosen={policy === 'any'}
        onChoose={() => onChange('any')}
      />
      <Choice
        group={group}
        label="each URL has accepted it"
        hint="Each is tried again by itself."
        isChosen={policy === 'each'}
        onChoose={() => onChange('each')}
      />
    </fieldset>
  )
}
