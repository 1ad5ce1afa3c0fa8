// The filter of system calls of a sandboxed program, in the format of Linux (classic BPF). It allows what one process needs to compute, and to read
// and write files. Everything else answers ENOSYS: starting processes and threads, sockets, shared memory, other namespaces, mounts,
// tracing, and every call that a later Linux adds. `prctl` is not allowed, so a program cannot undo that it ends with its parent.

const x64 = [
  ...[
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 32, 33,
    34,
  ],
  ...[
    35, 36, 37, 38, 39, 40, 44, 45, 46, 47, 48, 53, 59, 60, 61, 62, 63, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
  ],
  ...[84, 85, 87, 89, 90, 91, 95, 96, 97, 98, 99, 100, 102, 104, 107, 108, 110, 111, 115, 118, 120, 121, 124, 127, 128],
  ...[
    130, 131, 137, 138, 158, 160, 186, 201, 202, 204, 213, 217, 218, 219, 221, 228, 229, 230, 231, 232, 233, 234, 257,
  ],
  ...[
    258, 262, 263, 264, 267, 268, 269, 270, 271, 273, 274, 280, 281, 283, 284, 286, 287, 290, 291, 292, 293, 295, 296,
  ],
  ...[302, 309, 316, 318, 324, 326, 332, 334, 436],
]

const arm64 = [
  ...[
    17, 19, 20, 21, 22, 23, 24, 25, 29, 32, 34, 35, 38, 43, 44, 45, 46, 48, 49, 50, 52, 53, 56, 57, 59, 61, 62, 63, 64,
  ],
  ...[
    65, 66, 67, 68, 69, 70, 71, 72, 73, 78, 79, 80, 82, 83, 85, 86, 87, 88, 93, 94, 96, 98, 99, 100, 101, 102, 103, 113,
  ],
  ...[
    114, 115, 123, 124, 128, 129, 131, 132, 133, 134, 135, 136, 137, 139, 148, 150, 153, 155, 156, 158, 160, 163, 164,
  ],
  ...[
    165, 166, 168, 169, 172, 173, 174, 175, 176, 177, 178, 179, 199, 206, 207, 210, 211, 212, 214, 215, 216, 221, 222,
  ],
  ...[223, 226, 227, 232, 233, 260, 261, 276, 278, 283, 285, 291, 293, 436],
]

/** The value of `arch` that Linux gives with each call, and the calls that are allowed, by the processor of this machine. */
const processors: Readonly<Record<string, { arch: number; allowed: readonly number[] }>> = {
  x64: { arch: 0xc000003e, allowed: x64 },
  arm64: { arch: 0xc00000b7, allowed: arm64 },
}

const loadWord = 0x20
const jumpIfEqual = 0x15
const answer = 0x06
const allow = 0x7fff0000
const kill = 0x80000000
const notImplemented = 0x00050000 | 38

/** Offsets of the call's number and of the processor in the data of the filter. */
const offsets = { number: 0, arch: 4 }

type Instruction = [code: number, ifTrue: number, ifFalse: number, value: number]

/** The filter; undefined for a processor whose calls are not known here. */
export const filterSystemCalls = (processor: string = process.arch): Buffer | undefined => {
  const known = processors[processor]
  if (!known) return undefined
  const program: Instruction[] = [
    [loadWord, 0, 0, offsets.arch],
    [jumpIfEqual, 1, 0, known.arch],
    [answer, 0, 0, kill],
    [loadWord, 0, 0, offsets.number],
    ...known.allowed.flatMap((number): Instruction[] => [
      [jumpIfEqual, 0, 1, number],
      [answer, 0, 0, allow],
    ]),
    [answer, 0, 0, notImplemented],
  ]
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(ifTrue, index * 8 + 2)
    bytes.writeUInt8(ifFalse, index * 8 + 3)
    bytes.writeUInt32LE(value, index * 8 + 4)
  }
  return bytes
}
