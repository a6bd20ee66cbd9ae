;; Multiplies a query with many vectors. All numbers are signed bytes from -127 to 127, in one memory. A
;; vector takes `stride` bytes, a multiple of 16, and so does the query; what a vector does not need is zero.
(module
  (import "table" "memory" (memory 1 65536 shared))

  ;; The product of two vectors. Two products of bytes fit into 16 bits: 2 * 127 * 127 = 32,258.
  (func $product (param $vector i32) (param $query i32) (param $stride i32) (result i32)
    (local $end i32)
    (local $sums v128)
    (local $a v128)
    (local $b v128)
    (local.set $end (i32.add (local.get $query) (local.get $stride)))
    (loop $next
      (local.set $a (v128.load (local.get $vector)))
      (local.set $b (v128.load (local.get $query)))
      (local.set $sums
        (i32x4.add
          (local.get $sums)
          (i32x4.extadd_pairwise_i16x8_s
            (i16x8.add
              (i16x8.extmul_low_i8x16_s (local.get $a) (local.get $b))
              (i16x8.extmul_high_i8x16_s (local.get $a) (local.get $b))))))
      (local.set $vector (i32.add (local.get $vector) (i32.const 16)))
      (local.set $query (i32.add (local.get $query) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $query) (local.get $end))))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
      (i32.add (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums)))))

  ;; Writes the product of the query with each of `count` vectors as 32 bits.
  (func (export "scan")
    (param $vectors i32) (param $count i32) (param $stride i32) (param $query i32) (param $products i32)
    (local $i i32)
    (if (i32.eqz (local.get $count)) (then (return)))
    (loop $next
      (i32.store
        (local.get $products)
        (call $product (local.get $vectors) (local.get $query) (local.get $stride)))
      (local.set $products (i32.add (local.get $products) (i32.const 4)))
      (local.set $vectors (i32.add (local.get $vectors) (local.get $stride)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (local.get $count))))))
