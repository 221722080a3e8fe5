import { type ReactElement, type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'

interface HoverCardProps {
  readonly children: ReactNode
  /** Rendered only while it is shown. */
  readonly card: () => ReactNode
}

/** The delay before the card opens, so that a pointer passing over the link does not open it. */
const REST_MS = 400
const MARGIN_PX = 8

/**
 * A card below its children while the pointer rests on them or on the card. Escape closes it. The link leads to the same
 * facts, so touch screens need no card.
 */
export function HoverCard({ children, card }: HoverCardProps): ReactElement {
  const [isOpen, setIsOpen] = useState(false)
  const close = useCallback(() => setIsOpen(false), [])
  const anchor = useRef<HTMLSpanElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <span
      ref={anchor}
      onPointerEnter={({ pointerType }) => {
        if (pointerType !== 'touch') timer.current = setTimeout(() => setIsOpen(true), REST_MS)
      }}
      onPointerLeave={() => {
        clearTimeout(timer.current)
        close()
      }}
    >
      {children}
      {isOpen && (
        <Card anchor={anchor.current!} onClose={close}>
          {card()}
        </Card>
      )}
    </span>
  )
}

interface CardProps {
  readonly anchor: HTMLElement
  readonly onClose: () => void
  readonly children: ReactNode
}

/** In the top layer, so that no table clips it, and outside the paragraph that contains its link. */
function Card({ anchor, onClose, children }: CardProps): ReactElement {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const card = element.current!
    card.showPopover()
    const place = (): void => placeBelow(card, anchor.getBoundingClientRect())
    // The content may load later.
    const resized = new ResizeObserver(place)
    resized.observe(card)
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') onClose()
    }
    document.addEventListener('keydown', onKey)
    document.addEventListener('scroll', onClose, true)
    return () => {
      resized.disconnect()
      document.removeEventListener('keydown', onKey)
      document.removeEventListener('scroll', onClose, true)
    }
  }, [anchor, onClose])
  return createPortal(
    <div
      ref={element}
      popover="manual"
      role="tooltip"
      className="pointer-events-auto bg-surface border-line rounded-panel shadow-float text-ink text-dense fixed m-0 max-w-sm border p-3 text-left font-normal whitespace-normal"
    >
      {children}
    </div>,
    document.getElementById('page') ?? document.body,
  )
}

/** Places the card above the line if it does not fit below. */
function placeBelow(card: HTMLElement, line: DOMRect): void {
  const { width, height } = card.getBoundingClientRect()
  const isBelow = line.bottom + height + MARGIN_PX <= innerHeight
  const left = Math.min(line.left, innerWidth - width - MARGIN_PX)
  card.style.left = `${Math.max(MARGIN_PX, left)}px`
  card.style.top = `${isBelow ? line.bottom : Math.max(0, line.top - height)}px`
}
