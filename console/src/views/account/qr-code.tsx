import { toQrCode } from './qr-modules.ts'

/** Readers want a margin of four modules. */
const margin = 4

/** A text as a QR code, always dark on light. */
export const QrCode = ({ text, label }: { text: string; label: string }) => {
  const rows = toQrCode(text)
  const size = rows.length + margin * 2
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + margin} ${y + margin}h1v1h-1z` : '')))
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path.join('')} fill="#000" />
    </svg>
  )
}
