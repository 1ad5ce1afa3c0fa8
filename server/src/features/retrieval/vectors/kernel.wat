;; Compares one vector with many, sixteen bytes at a time. JavaScript has no such instructions, and the engine finds none for
;; its loops. kernel.ts writes into the memory and calls; checks/kernel.test.ts tells how kernel.wasm is made of this.
;;
;; All addresses are in bytes. Vectors stand one after the other, each padded to a multiple of sixteen bytes.
(module
  (memory (export "memory") 1)

  ;; For each of `count` rows, how many of its bits differ from those at `query`: two bytes each, from `counts`.
  (func (export "countDifferences")
    (param $query i32) (param $rows i32) (param $count i32) (param $bytes i32) (param $counts i32)
    (local $at i32) (local $sums v128)
    (loop $row
      (local.set $at (i32.const 0))
      (local.set $sums (v128.const i64x2 0 0))
      (loop $part
        (local.set $sums (i16x8.add (local.get $sums) (i16x8.extadd_pairwise_i8x16_u (i8x16.popcnt (v128.xor
          (v128.load (i32.add (local.get $query) (local.get $at)))
          (v128.load (i32.add (local.get $rows) (local.get $at))))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $part (i32.lt_u (local.get $at) (local.get $bytes))))
      (local.set $sums (i32x4.extadd_pairwise_i16x8_u (local.get $sums)))
      (i32.store16 (local.get $counts) (i32.add
        (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
        (i32.add (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums)))))
      (local.set $counts (i32.add (local.get $counts) (i32.const 2)))
      (local.set $rows (i32.add (local.get $rows) (local.get $bytes)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br_if $row (local.get $count))))

  ;; For each of `count` rows of signed bytes, its product with the 32-bit floats at `query`: four bytes each, from `products`.
  (func (export "multiply")
    (param $query i32) (param $rows i32) (param $count i32) (param $bytes i32) (param $products i32)
    (local $at i32) (local $of_query i32) (local $half v128) (local $sums v128) (local $others v128)
    (loop $row
      (local.set $at (i32.const 0))
      (local.set $of_query (local.get $query))
      (local.set $sums (v128.const f32x4 0 0 0 0))
      (local.set $others (v128.const f32x4 0 0 0 0))
      (loop $part
        (local.set $half (v128.load8x8_s (i32.add (local.get $rows) (local.get $at))))
        (local.set $sums (f32x4.add (local.get $sums) (f32x4.mul
          (v128.load (local.get $of_query))
          (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $half))))))
        (local.set $others (f32x4.add (local.get $others) (f32x4.mul
          (v128.load offset=16 (local.get $of_query))
          (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $half))))))
        (local.set $of_query (i32.add (local.get $of_query) (i32.const 32)))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br_if $part (i32.lt_u (local.get $at) (local.get $bytes))))
      (local.set $sums (f32x4.add (local.get $sums) (local.get $others)))
      (f32.store (local.get $products) (f32.add
        (f32.add (f32x4.extract_lane 0 (local.get $sums)) (f32x4.extract_lane 1 (local.get $sums)))
        (f32.add (f32x4.extract_lane 2 (local.get $sums)) (f32x4.extract_lane 3 (local.get $sums)))))
      (local.set $products (i32.add (local.get $products) (i32.const 4)))
      (local.set $rows (i32.add (local.get $rows) (local.get $bytes)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br_if $row (local.get $count)))))
