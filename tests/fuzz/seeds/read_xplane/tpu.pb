
¸/device:TPU:0XLA Modulesd"€¤è€‡§)XLA Opsd"À¨¥ÀŞ
"ú®âú“ô"while.2"($%fusion.1 = x**jit(f)/M/add:"	jit_f(12)*	tf_op
<Task Environment*profile_start_time2•šÓÁ™±Éä